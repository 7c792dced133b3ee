"""The language model as it is trained is the one of the taught functions; what it writes does not know of its cache."""

import itertools
import random
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from lab.corpora import Text, grammar
from lab.corpora.repeats import pairs, repeats
from lab.evaluation.result_files import read_json
from lab.kinds.language import Predicting, Run, Sampling, Trained, cut, framed, train
from lab.kinds.ranges import RecipeError
from lab.text.tokenizers import BOS, EOS, PAD, Characters, Subwords, Words, restore
from lab.train.training import Progress, Training
from solutions.language_model import induction
from solutions.language_model.ablation import without_heads
from solutions.language_model.attention import cached_step, latent_attention, latent_step, next_probabilities
from solutions.language_model.fast import SOLUTION, FastDecoder
from solutions.language_model.induction import seen_before
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import RECIPES, Recipe
from solutions.language_model.sweeps import SWEEPS

VOCABULARY = 13
TODAY = Recipe(d_model=24, d_ff=36, heads=6, kv_heads=2, layers=2, context=7)
FORMS = {
    "today": TODAY,
    "2017": replace(
        TODAY, norm="layer", pre_norm=False, feed_forward="relu", positions="sine", tied=False, biases=True, kv_heads=0
    ),
    "learned": replace(TODAY, positions="learned", kv_heads=1),
    "none": replace(TODAY, positions="none", kv_heads=6, norm="layer"),
    "qk-norm": replace(TODAY, norm="rms-qk"),
    "latent": replace(TODAY, kv_heads=0, latent=5),
}
ROWS = torch.tensor([[BOS, 5, 6, 7, 8], [PAD, PAD, PAD, BOS, 9], [PAD, BOS, 4, 5, 12]])


def drawn(recipe: Recipe, kind: type[Decoder] = Decoder) -> Decoder:
    """Return a model all of whose parameters are different numbers, none a zero or a one."""
    torch.manual_seed(0)
    model = kind(recipe, VOCABULARY).double().eval()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.4)
    return model


@pytest.mark.parametrize("form", FORMS)
def test_the_plain_model_and_the_fast_one_have_equal_values_and_gradients(form: str) -> None:
    plain = drawn(FORMS[form])
    fast = FastDecoder(FORMS[form], VOCABULARY).double()
    fast.load_state_dict(plain.state_dict())
    tokens = torch.randint(4, VOCABULARY, (3, 7))
    for model in (plain, fast):
        model(tokens).pow(2).mean().backward()
    torch.testing.assert_close(fast(tokens), plain(tokens))
    for one, other in zip(fast.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


@pytest.mark.parametrize("form", FORMS)
def test_no_position_knows_what_comes_after_it(form: str) -> None:
    model, tokens = drawn(FORMS[form]), torch.randint(4, VOCABULARY, (2, 7))
    other = tokens.clone()
    other[:, 4:] = 4
    torch.testing.assert_close(model(tokens)[:, :4], model(other)[:, :4])
    assert not torch.allclose(model(tokens)[:, 4:], model(other)[:, 4:])


@pytest.mark.parametrize("kind", [Decoder, FastDecoder])
@pytest.mark.parametrize("form", FORMS)
def test_what_is_cached_or_padded_on_the_left_is_what_is_read_at_once(form: str, kind: type[Decoder]) -> None:
    model, mask = drawn(FORMS[form], kind), ROWS != PAD
    features, caches, _ = model.read(ROWS[:, :3], None, mask[:, :3])
    for t in (3, 4):
        features, caches, _ = model.read(ROWS[:, t : t + 1], caches, mask[:, : t + 1])
    for row, real in zip(range(3), mask, strict=True):
        alone = model.read(ROWS[row : row + 1, real])[0]
        torch.testing.assert_close(features[row, -1], alone[0, -1], rtol=1e-4, atol=1e-5)
    kept = {"today": (2, 3, 2, 5, 4), "latent": (1, 3, 1, 5, 5 + 2)}  # latent vectors, and half a head that is turned
    assert caches[0].shape == kept.get(form, (2, 3, caches[0].shape[2], 5, 4))


@pytest.mark.parametrize("form", FORMS)
def test_a_step_without_padding_is_the_last_position_of_the_text_read_whole(form: str) -> None:
    model, tokens = drawn(FORMS[form], FastDecoder), torch.randint(4, VOCABULARY, (2, 6))
    caches = model.read(tokens[:, :5])[1]
    torch.testing.assert_close(model.read(tokens[:, 5:], caches)[0], model.read(tokens)[0][:, 5:])


def test_normalised_queries_and_keys_have_no_length() -> None:
    model, tokens = drawn(FORMS["qk-norm"]), torch.randint(4, VOCABULARY, (2, 6))
    before = model(tokens)
    for block in model.blocks:
        block.attention.q.weight.data *= 1e4
        block.attention.k.weight.data *= 1e3
    torch.testing.assert_close(model(tokens), before, rtol=1e-4, atol=1e-4)


def test_a_step_of_the_model_is_the_taught_one() -> None:
    layer = drawn(TODAY).blocks[0].attention
    x = torch.randn(3, 5, TODAY.d_model, dtype=torch.float64)
    whole, cache, _ = layer(x)
    _, before, _ = layer(x[:, :4])
    output, after = cached_step(x[:, 4], before, layer.named())
    torch.testing.assert_close(output, whole[:, 4], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(after, cache, rtol=1e-5, atol=1e-5)


def test_a_step_of_the_models_latent_attention_is_the_taught_one() -> None:
    """Steps from the caches alone are the rows of attention whose keys and values are built, and of the module."""
    layer = drawn(FORMS["latent"]).blocks[0].attention
    x = torch.randn(3, 5, TODAY.d_model, dtype=torch.float64)
    of_module, kept, _ = layer(x)
    whole, *caches = latent_attention(x, layer.named(), layer.heads)
    latent, turned = x.new_zeros(3, 0, layer.latent), x.new_zeros(3, 0, layer.turned)
    outputs = []
    for t in range(5):
        output, latent, turned = latent_step(x[:, t], latent, turned, layer.named())
        outputs.append(output)
    for one, other in (
        (of_module, whole),
        (torch.stack(outputs, dim=1), whole),
        (torch.cat(caches, -1), kept[0, :, 0]),
    ):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
    for one, other in zip(caches, (latent, turned), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [3, 6])
def test_a_latent_step_with_padding_on_the_left_is_that_of_the_text_alone(length: int) -> None:
    layer = drawn(FORMS["latent"]).blocks[0].attention
    x = torch.randn(2, 7, TODAY.d_model, dtype=torch.float64)
    _, latent, turned = latent_attention(x[:, :6], layer.named(), layer.heads)
    mask = torch.arange(7) >= torch.tensor([[0], [7 - length]])
    output, _, _ = latent_step(x[:, 6], latent, turned, layer.named(), mask)
    for row, real in enumerate((7, length)):
        whole, _, _ = latent_attention(x[row : row + 1, -real:], layer.named(), layer.heads)
        torch.testing.assert_close(output[row], whole[0, -1], rtol=1e-5, atol=1e-5)


def best(scores: Tensor) -> Tensor:
    return scores.argmax(dim=-1)


@pytest.mark.parametrize("form", FORMS)
def test_generation_is_that_of_reading_everything_again_at_each_token(form: str) -> None:
    model, mask = drawn(FORMS[form]), ROWS != PAD
    written = model.generate(ROWS, mask, 6, best)
    for row, real in zip(range(3), mask, strict=True):
        tokens = ROWS[row, real].tolist()
        for new in written[row].tolist():
            if EOS in tokens:
                assert new == PAD
                continue
            tokens.append(int(model(torch.tensor([tokens]))[0, -1].argmax()))
            assert tokens[-1] == new


def test_generation_ends_when_all_rows_have_and_after_as_many_tokens_as_are_asked_for() -> None:
    model = drawn(TODAY)
    assert model.generate(ROWS, ROWS != PAD, 4, lambda scores: torch.full((3,), EOS)).tolist() == [[EOS]] * 3
    assert model.generate(ROWS, ROWS != PAD, 4, lambda scores: torch.full((3,), 7)).shape == (3, 4)


def test_forms_of_equal_parameters_have_about_as_many() -> None:
    def count(**changes: object) -> int:
        return sum(weight.numel() for weight in Decoder(replace(RECIPES["small"], **changes), 99).parameters())

    today = count()
    assert count(feed_forward="relu") == pytest.approx(today, rel=0.01)
    assert today - count(kv_heads=1) == 2 * 2 * 64 * 48  # keys and values of three of four heads in two layers
    for name, changes in SWEEPS["kv-heads"].variants.items():
        assert count(**changes) == pytest.approx(today, rel=0.01), name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kv_heads": 4}, "kv_heads to divide heads = 6, got 4"),
        ({"heads": 5}, "heads to divide d_model = 24, got 5"),
        ({"heads": 8}, "an even number for each head, got 3"),
        ({"latent": 5}, "width 4 divides, kv_heads 0 and positions rope; got a width of 4, kv_heads 2 and"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Decoder(replace(TODAY, **changes), VOCABULARY)


def trained_on(text: Words, recipe: Recipe) -> Trained:
    torch.manual_seed(1)
    return Trained(Decoder(recipe, len(text)), text, {"recipe": {"context": recipe.context}}, Progress())


def test_losses_of_sentences_are_those_of_each_alone_and_end_in_their_mark() -> None:
    sentences = ["a b", "c", "b b a c", ""]
    trained = trained_on(Words.learn(sentences), TODAY)
    losses, counts = trained.losses(sentences)
    assert counts.tolist() == [3, 2, 5, 1]
    for sentence, loss in zip(sentences, losses.tolist(), strict=True):
        tokens = torch.tensor([[BOS, *trained.text.encode(sentence), EOS]])
        log_p = trained.model(tokens[:, :-1]).log_softmax(dim=-1).gather(2, tokens[:, 1:, None])
        assert loss == pytest.approx(-log_p.sum().item(), rel=1e-5)


def test_running_text_is_predicted_whole_each_character_once() -> None:
    letters = "".join(random.Random(0).choices("abcd \n", k=52))
    trained = trained_on(Characters.learn([letters]), TODAY)
    _, counts = trained.losses([letters])
    assert counts.sum() == 51
    rows = cut(trained.text.encode(letters), 7)
    assert trained.text.decode([*rows[0], *itertools.chain.from_iterable(row[1:] for row in rows[1:])]) == letters


def test_a_text_in_subwords_stands_between_two_marks_and_is_read_by_the_context() -> None:
    review = " ".join(sentence for sentence, _ in grammar.generate(9, 1))
    trained = trained_on(Subwords.learn([review], 60), TODAY)
    tokens = framed(trained.text, review)
    assert tokens[0] == tokens[-1] == EOS
    losses, counts = trained.losses([review, review])
    assert counts.sum() == 2 * (len(tokens) - 1)
    assert counts.max() == TODAY.context
    torch.testing.assert_close(losses[: len(losses) // 2], losses[len(losses) // 2 :])
    assert trained.write(["the", ""], 3, Sampling(next_probabilities))[0].startswith("the")


def test_an_epoch_of_running_text_is_another_cut_of_it_in_batches_of_so_many_tokens() -> None:
    tokens = list(range(4, 104))
    task = Predicting([tokens], 20, 10)
    for groups in (task.groups(0), task.groups(1)):
        assert all(task.collate(group).inputs.numel() <= 20 for group in groups)
        inputs = sorted(token for group in groups for row in group for token in row[1:])
        assert inputs == list(range(inputs[0], 104))
        assert inputs[0] < 4 + 11
    assert task.groups(0) == task.groups(0)
    assert sorted(map(tuple, itertools.chain(*task.groups(0)))) != sorted(map(tuple, itertools.chain(*task.groups(1))))
    assert len(Predicting([tokens], 20, 10, 0.5).groups(0)) == round(len(task.groups(0)) / 2)


def test_padding_adds_nothing_to_a_loss() -> None:
    rows = [[BOS, 4, 5, 6, EOS], [BOS, 7, EOS]]
    task, model = Predicting(rows, 100, 10), drawn(TODAY).float()
    loss = task.loss(model, task.collate(rows), torch.device("cpu"))
    alone = [task.loss(model, task.collate([row]), torch.device("cpu")) for row in rows]
    torch.testing.assert_close(loss, (4 * alone[0] + 2 * alone[1]) / 6)


def test_vocabularies_come_back_from_a_checkpoint() -> None:
    for kind, text in ((Words, "to be or not"), (Characters, "to be\nor not")):
        learnt = kind.learn([text])
        again = restore(learnt.state())
        assert type(again) is kind
        assert again.decode(again.encode(text)) == text
        assert learnt.unknown(text) == []


# Training


def little() -> Text:
    made = [sentence for sentence, _ in grammar.generate(60, 1)]
    return Text("grammar", "word", made[:40], made[40:50], {"test": made[50:]}, 2.0, {"test": [-10.0] * 10})


def test_a_training_resumes_to_the_same_numbers_and_writes(tmp_path) -> None:
    recipe = replace(TODAY, dropout=0.1, training=Training(tokens=60, epochs=2, rate=1e-2, precision="fp32"))
    run = Run("language_model", "grammar", "small")
    once = train(SOLUTION, run, recipe, quiet=True, folder=tmp_path / "once", corpus=little())
    assert once.progress.history[-1]["validation"] > once.progress.history[0]["validation"] - 0.5
    again = train(SOLUTION, run, recipe, quiet=True, folder=tmp_path / "once", corpus=little())
    sampling = Sampling(next_probabilities, temperature=0.7, top_k=5, seed=3)
    assert again.write(["the", ""], 8, sampling) == once.write(["the", ""], 8, sampling)
    assert once.write(["the"], 8, sampling)[0].startswith("the")
    with pytest.raises(RecipeError, match="cannot be built"):
        train(SOLUTION, run, replace(recipe, kv_heads=4), quiet=True, folder=tmp_path / "other", corpus=little())
    assert not (tmp_path / "other").exists()


# Induction


def test_what_is_new_in_a_sequence_that_repeats_is_its_first_round() -> None:
    tokens, periods = repeats(5, 30, 40, torch.Generator().manual_seed(1))
    for row, period, known in zip(tokens.tolist(), periods.tolist(), seen_before(tokens, periods), strict=True):
        assert len(set(row[:period])) == period
        assert row == [row[t % period] for t in range(30)]
        assert known.tolist() == [token in row[:t] for t, token in enumerate(row)][1:]
    assert len(set(periods.tolist())) > 1


def test_a_value_is_recalled_where_its_key_comes_again() -> None:
    tokens, recalled = pairs(3, 4, 20, torch.Generator().manual_seed(1))
    for row in tokens.tolist():
        known = dict(zip(row[:8:2], row[1:8:2], strict=True))
        assert len(known) == 4
        assert max(known) < 10 <= min(known.values())
        assert [row[t + 1] for t in range(15) if recalled[t]] == [known[key] for key in row[8::2]]


def test_induction_is_measured_before_and_over_a_training_and_kept(tmp_path, capsys, monkeypatch) -> None:
    for name, value in {"EVERY": 1, "ROWS": 2, "VARIANTS": (1,)}.items():
        monkeypatch.setattr(induction, name, value)
    words = "--steps 2 --seeds 1 --threads 1".split()
    induction.main(words, tmp_path)
    (run,) = read_json(tmp_path / "induction.json")["runs"]
    assert [row["step"] for row in run["history"]] == [0, 1, 2]
    assert all(len(row["scores"][0]) == induction.RECIPE.heads for row in run["history"])
    assert list(run["history"][-1]["pairs"]) == [str(count) for count in induction.PAIRS]
    capsys.readouterr()
    induction.main(words, tmp_path)
    assert capsys.readouterr().out.startswith("wrote")  # nothing is trained again
    with pytest.raises(SystemExit):
        induction.main(["--seeds", "-1"], tmp_path)


@torch.no_grad()
def test_a_head_that_is_left_out_adds_nothing_and_comes_back():
    torch.manual_seed(1)
    model = Decoder(Recipe(d_model=12, d_ff=20, heads=3, layers=2), 17).eval()
    tokens = torch.randint(0, 17, (2, 5))
    whole, attention = model(tokens), model.blocks[1].attention
    kept = attention.v.weight.clone()
    with without_heads(model, 1, [0, 2]):
        without = model(tokens)
    attention.v.weight[0:4], attention.v.weight[8:12] = 0.0, 0.0  # what these heads would add is 0
    torch.testing.assert_close(model(tokens), without)
    attention.v.weight.copy_(kept)
    assert not torch.allclose(without, whole)
    torch.testing.assert_close(model(tokens), whole)
