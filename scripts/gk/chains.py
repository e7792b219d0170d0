# SPDX-License-Identifier: Apache-2.0
"""What a chain of kernels moves and launches beyond its fused form: the table of unfused chains.

An unfused chain stores each intermediate and reads it back, in the dtype of the output; how often,
in units of the output's bytes, is known per op. An op that is not here gets no prediction.
"""

from dataclasses import dataclass

from gk.results import Case, Work


@dataclass(frozen=True, slots=True)
class Chain:
    """One op's unfused chain; `passes` and `stored` are in units of the output's bytes."""

    steps: str
    launches: int
    passes: int  # stores and loads of intermediates
    stored: int = 1  # what must survive from one kernel to the next

    def extra_bytes(self, work: Work) -> float:
        """Bytes that the chain moves beyond the compulsory ones."""
        return self.passes * work.written_bytes

    def stored_bytes(self, work: Work) -> float:
        """Size of the intermediates that are alive at once: which cache could hold them."""
        return self.stored * work.written_bytes


_PRODUCT_GELU = Chain("product; bias and GELU", launches=2, passes=2)
_PRODUCT_SWIGLU = Chain("product of gate and up; SwiGLU", launches=2, passes=4, stored=2)
_CHAINS = {
    ("elementwise_bias_gelu_residual", None): Chain("add bias; GELU; add residual", 3, passes=4),
    ("elementwise_swiglu", None): Chain("SiLU; multiply", launches=2, passes=2),
    ("gemv_decode", "bias_gelu"): _PRODUCT_GELU,
    ("gemv_decode", "residual"): Chain("product; add residual", launches=2, passes=2),
    ("gemv_decode", "swiglu"): _PRODUCT_SWIGLU,
    ("gemm_prefill", "bias_gelu"): _PRODUCT_GELU,
    ("gemm_prefill", "swiglu"): _PRODUCT_SWIGLU,
}


def chain_of(case: Case) -> Chain | None:
    """The unfused chain of this op (and epilogue), or None where it is not known."""
    return _CHAINS.get((case.op, case.axes.get("epilogue")))
