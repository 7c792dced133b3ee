"""Stand-ins for earlier functions give what the references give, in every way of calling them, and nothing besides."""

import functools
import inspect
from collections.abc import Callable

import pytest
import torch

from autograder import checks
from autograder.judge import reference_server
from autograder.judge.reference_server import Earlier
from autograder.kit.calls import proxy
from autograder.kit.calls.codec import CodecError
from autograder.kit.calls.frames import decode, encode

# In grading nothing checks their annotations, as these tests would.
HEADS = inspect.unwrap(checks.find("transformer.multi_head_attention").reference)
SOFTMAX = inspect.unwrap(checks.find("bahdanau.masked_softmax").reference)


def asked(reference: Callable, known: Earlier | None = None) -> Callable:
    """Return a stand-in for a function, whose questions and answers pass through frames."""
    known = known or Earlier({reference.__name__: reference})

    def ask(question: dict) -> dict:
        return decode(*encode(known.answer(decode(*encode(question)))))

    return proxy.remote_stub(reference.__name__, ask)


def drawn(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
    made = torch.Generator().manual_seed(1)
    x, memory = torch.randn(2, 3, 4, generator=made).to(dtype), torch.randn(2, 5, 4, generator=made).to(dtype)
    params = {f"W_{n}": torch.randn(4, 4, generator=made).to(dtype) for n in "qkvo"}
    return x, memory, params | {f"b_{n}": torch.randn(4, generator=made).to(dtype) for n in "qkvo"}


X, MEMORY, PARAMS = drawn()
MASK = torch.tensor([[[True, True, False, True, False]], [[True, False, True, True, True]]])
WAYS = {
    "by position": lambda f: f(X, MEMORY, MEMORY, PARAMS, 2, MASK),
    "no mask": lambda f: f(X, MEMORY, MEMORY, PARAMS, 2, None),
    "a default": lambda f: f(X, X, X, PARAMS, 2),
    "by name": lambda f: f(mask=MASK, heads=2, params=PARAMS, value=MEMORY, key=MEMORY, query=X),
    "not contiguous": lambda f: f(
        X.mT.contiguous().mT, MEMORY[:, ::2], MEMORY[:, 1::2].repeat(1, 2, 1)[:, :3], PARAMS, 2
    ),
    "float64": lambda f: f(X.double(), X.double(), X.double(), {k: w.double() for k, w in PARAMS.items()}, 2),
    "a mapping": lambda f: f(X, X, X, torch.nn.ParameterDict(PARAMS), 1),
    "without gradients": torch.no_grad()(lambda f: f(X, X, X, PARAMS, 4)),
    "in inference mode": torch.inference_mode()(lambda f: f(X, X, X, PARAMS, 4)),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_values_are_those_of_the_reference(way: str) -> None:
    for got, right in zip(WAYS[way](asked(HEADS)), WAYS[way](HEADS), strict=True):
        assert got.dtype == right.dtype
        torch.testing.assert_close(got, right, rtol=1e-5, atol=1e-5)


def test_bfloat16_comes_back_as_bfloat16_and_a_single_output_is_no_tuple() -> None:
    x, memory, params = drawn(torch.bfloat16)
    out, attended = asked(HEADS)(x, memory, memory, params, 2, MASK)
    assert out.dtype == attended.dtype == torch.bfloat16
    torch.testing.assert_close(out, HEADS(x, memory, memory, params, 2, MASK)[0], rtol=0.1, atol=0.1)
    scores, mask = torch.randn(2, 3), torch.tensor([[True, False, True]] * 2)
    torch.testing.assert_close(asked(SOFTMAX)(scores, mask), SOFTMAX(scores, mask))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda f: f(X, MEMORY[..., :3], MEMORY, PARAMS, 2), RuntimeError, "mat1 and mat2|size|shape"),
        (lambda f: f(X, X, X, PARAMS, 3), ValueError, "heads share the features in equal blocks"),
        (lambda f: f(X, X, X, {}, 2), RuntimeError, "KeyError: 'W_q'"),
        (lambda f: f(X, X, X, PARAMS), TypeError, "missing a required argument: 'heads'"),
        (lambda f: f(X, X, X, PARAMS, 2, None, 7), TypeError, "too many positional arguments"),
        (lambda f: f(X, X, X, PARAMS, object()), TypeError, "cannot be sent"),
        (lambda f: f(X * 1j, X, X, PARAMS, 2), TypeError, "complex"),
    ],
)
def test_wrong_arguments_are_an_error_in_the_words_of_the_reference(wrong, error, message) -> None:
    def ask(question: dict) -> dict:
        try:
            return Earlier({HEADS.__name__: HEADS}).answer(decode(*encode(question)))
        except CodecError as refused:
            return {"error": ["TypeError", str(refused)]}

    with pytest.raises(error, match=message) as caught:
        wrong(proxy.remote_stub(HEADS.__name__, ask))
    assert "split_heads" not in str(caught.value)


def test_what_would_cost_too_much_is_refused_before_it_is_done() -> None:
    many, one = torch.zeros(30_000, 1), torch.zeros(1, 30_000, dtype=torch.bool)
    known = Earlier({SOFTMAX.__name__: SOFTMAX})
    with pytest.raises((ValueError, RuntimeError), match="too large"):
        asked(SOFTMAX, known)(many, one)
    with pytest.raises(ValueError, match="an axis has more than"):
        asked(SOFTMAX, known)(torch.zeros(0, 70_000))
    torch.testing.assert_close(asked(SOFTMAX, known)(torch.zeros(2)), torch.tensor([0.5, 0.5]))


def test_there_are_only_so_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_server, "MOST_QUESTIONS", 3)
    function = asked(SOFTMAX)
    for _ in range(3):
        function(torch.zeros(2))
    with pytest.raises(RuntimeError, match="called more than 3 times"):
        function(torch.zeros(2))


CALL: dict = {"function": "masked_softmax", "arguments": [torch.zeros(2).numpy()], "named": {}}


@pytest.mark.parametrize(
    "question",
    [
        None,
        [],
        {},
        CALL | {"function": "open"},
        CALL | {"function": []},
        CALL | {"arguments": {}},
        CALL | {"arguments": [None] * 99},
        CALL | {"arguments": [encode]},
        CALL | {"named": []},
        CALL | {"named": {"mask": encode}},
        CALL | {"more": 1},
    ],
)
def test_what_is_no_question_is_refused(question) -> None:
    assert "outputs" in Earlier({SOFTMAX.__name__: SOFTMAX}).answer(CALL)
    with pytest.raises(CodecError):
        Earlier({SOFTMAX.__name__: SOFTMAX}).answer(question)


def notebook(source: str) -> dict:
    namespace: dict = {"torch": torch}
    exec(source, namespace)
    return namespace


def test_stand_ins_are_there_under_every_name() -> None:
    namespace = notebook(
        "from functools import partial\n"
        "def masked_softmax(scores, mask=None, scale=1): return scores\n"
        "alias, bound = masked_softmax, partial(masked_softmax)\n"
        "def default(scores, of=masked_softmax): return of(scores)\n"
        "class Held:\n    of = staticmethod(masked_softmax)\n"
    )
    uses = ["masked_softmax(x)", "alias(x)", "bound(x)", "default(x)", "Held.of(x)"]
    for _ in range(2):  # as after each cell
        proxy.install(namespace, {"masked_softmax": asked(SOFTMAX)})
        assert [eval(use, namespace | {"x": torch.zeros(2)}).tolist() for use in uses] == [[0.5, 0.5]] * len(uses)


@pytest.mark.parametrize(
    "value", [None, 7, torch.nn.functional.softmax, functools.cache(lambda x: x), type("A", (), {})]
)
def test_what_is_missing_or_no_function_is_replaced_too_and_libraries_are_left_alone(value) -> None:
    namespace = {} if value is None else {"masked_softmax": value}
    proxy.install(namespace, {"masked_softmax": asked(SOFTMAX)})
    assert namespace["masked_softmax"](torch.zeros(2)).tolist() == [0.5, 0.5]
    assert torch.nn.functional.softmax(torch.zeros(2), dim=0).tolist() == [0.5, 0.5]
