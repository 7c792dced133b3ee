"""The memory of a call: the judge measures that of the process, a student's own machine the largest tensor."""

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from autograder.kit.verdict.answer import Answer, Caller, Failure

NOTE = (
    "here only the size of the largest tensor is looked at. Grading measures how much memory the call takes altogether."
)


class EachOperation(TorchDispatchMode):
    """Lets subclasses look at each operation of torch's."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and to say so to torch's compiler imports it: two seconds


class LargestTensor(EachOperation):
    """Notes the bytes of the largest tensor that an operation of torch's makes."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        before = {_place(leaf) for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)}
        for leaf in tree_leaves(made):
            # A view, or a tensor changed in place, brings no new numbers.
            if isinstance(leaf, Tensor) and _place(leaf) not in before:
                # The storage: an expanded tensor holds no more numbers than before.
                self.bytes = max(self.bytes, leaf.untyped_storage().nbytes())
        return made


def _place(tensor: Tensor) -> int:
    """Return the address of a tensor's numbers."""
    return tensor.untyped_storage().data_ptr()


def within(caller: Caller, function: str, arguments: list, most: int) -> Answer:
    """Return the answer to a call; its error if its largest tensor takes more than `most` bytes."""
    with LargestTensor() as largest:
        answer = caller(function, arguments, None)
    return answer if answer.error or largest.bytes <= most else exceeded(answer, most)


def exceeded(answer: Answer, most: int) -> Answer:
    """Return an answer with the error that it took too much memory; without the measured number, which is noisy."""
    answer.error = Failure("wrong", f"the call takes more than {most >> 20} MB of memory at once.")
    return answer
