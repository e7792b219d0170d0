# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium on its DevTools pipe: just enough to press keys and measure boxes."""

import json
import os
import shutil
import subprocess
import time

TIMEOUT_S = 60
_KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36}
_KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def executable():
    """Debian's chromium, or None."""
    return shutil.which("chromium")


class Browser:
    """One page in one browser, which ends with the `with` block."""

    def __init__(self, folder):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [executable(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        command += [
            "--disable-dev-shm-usage",
            "--remote-debugging-pipe",
            f"--user-data-dir={folder}",
        ]
        command += ["--disable-background-networking", "--hide-scrollbars", "about:blank"]
        # The browser reads its descriptor 3 and writes to 4.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command],
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        os.set_blocking(self._in, False)
        self._buffer, self._last, self.events = b"", 0, []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method, **parameters):
        """One command to the page; returns its result."""
        return self._call(method, self._session, **parameters)

    def open(self, path, width=1300, height=1000, scripts=True):
        """Load a local file and wait until it is there."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self._wait(lambda: any(event["method"] == "Page.loadEventFired" for event in self.events))

    def run(self, expression):
        """The value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key, times=1):
        """A real key press, as the system would send it."""
        for _ in range(times):
            for kind in ("rawKeyDown", "keyUp"):
                codes = {"windowsVirtualKeyCode": _KEYS[key], "code": key}
                self.call("Input.dispatchKeyEvent", type=kind, key=key, **codes)
            if key == " ":
                break

    def move_to(self, x, y):
        """The mouse, in pixels of the window."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            place = {"x": x, "y": y, "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, **place)

    def requests(self):
        """The addresses that the page asked for."""
        sent = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self):
        """What the console says: errors, and what the page's policy refused."""
        kinds = ("Log.entryAdded", "Runtime.exceptionThrown")
        return [event for event in self.events if event["method"] in kinds]

    def _call(self, method, session=None, **parameters):
        self._last += 1
        number = self._last
        message = {"id": number, "method": method, "params": parameters}
        message |= {"sessionId": session} if session else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = []
        self._wait(lambda: any(e["id"] == number for e in answer), answer)
        found = next(e for e in answer if e["id"] == number)
        assert "error" not in found, found
        return found["result"]

    def _wait(self, done, answers=None):
        end = time.monotonic() + TIMEOUT_S
        while not done():
            assert time.monotonic() < end, "the browser does not answer"
            try:
                data = os.read(self._in, 1 << 20)
                assert data, "the browser ended"
                self._buffer += data
            except BlockingIOError:
                time.sleep(0.005)
            *messages, self._buffer = self._buffer.split(b"\0")
            for message in map(json.loads, messages):
                kept = answers if "id" in message and answers is not None else self.events
                kept.append(message)
