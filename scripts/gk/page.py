def build(study): return b""
