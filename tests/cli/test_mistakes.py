"""Typical mistakes: the answer names what was meant, and nothing is a traceback."""

import pytest

from taskloom.cli.main import main

ASKED = ["--model", "mock/majority", "-o", "out"]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["run", "babi/task-1", "--model", "gpt-4o", "-o", "out"], "openai/gpt-4o needs a key"),
        (["run", "babi/task-1", "--model", "claude-opus", "-o", "out"], "anthropic/claude-opus needs a key"),
        (["run", "babi/task-1", "--model", "./nowhere", "-o", "out"], "./nowhere: no such folder"),
        (["run", "babi/task-1", "--model", "absent.gguf", "-o", "out"], "no file absent.gguf"),
        (["run", "babi/task-1", "--model", "owner/name", "-o", "out"], "hf/owner/name loads it from the hub"),
        (["run", "babi/task-1", "--model", "majority", "-o", "out"], "did you mean 'mock/majority'"),
        (["run", "babi/task-1", "--model", "ollama", "-o", "out"], "a model is ollama/NAME; taskloom list models"),
        (["sources", "fetch"], "unknown ACTION 'fetch'; known: check, get, list"),
        (["study", "all", "--scale", "huge"], "`study all` needs a folder"),
        (["run", "task-1", *ASKED], "did you mean 'babi/task-1'"),
        (["run", "babi", "task-1", *ASKED], "did you mean babi/task-1?"),
        (["run", "babi/task-1", "-m", "mock/majority", "-o", "out"], "did you mean --model"),
        (["run", "babi/task-1", "--n", "5", *ASKED], "did you mean --limit"),
        (["run", "babi/task-1", "-n", "5", *ASKED], "did you mean --limit"),
        (["run", "babi/task-1", "--limit", "ten", *ASKED], "1 or more, or a share between 0 and 1, not ten"),
        (["run", "babi/task-1", "--seed", "abc", *ASKED], "--seed takes a whole number, or secret, not 'abc'"),
        (["run", "babi/task-1", "-A", "lr=1", *ASKED], "has no options, so 'lr' cannot be set"),
        (["run", "babi/task-1", "--adapt", "finetune", "-A", "lr=1", *ASKED], "did you mean 'learning_rate'?"),
        (["run", "babi/task-1"], "for example: taskloom run"),
        (["show", "babi/task-1", "--limit", "3"], "did you mean --n"),
        (["export", "hf", "babi/task-1", "--limit", "3", "-o", "out"], "did you mean --rows"),
        (["generate", "babi/mix-t2", "-T", "train=many", "-o", "out"], "expected a whole number, got text"),
        (["run", "babi/mix-t2/where-persn", *ASKED], "unknown task 'where-persn'; did you mean 'where-person'"),
        (["probe", "babi/mix-t2/where-person", *ASKED], "taskloom probe babi/mix-t2"),
        (["run", "babi/task-1", "--model", "http://127.0.0.1:1/v1", "-o", "out"], "-M base_url=http://127.0.0.1:1/v1"),
        (["generate", "babi/mix-t12", "-T", "length=5", "-o", "out"], "length: expected a list or nothing"),
        (["probe", "babi/mix-t2", "--low", "0.9", *ASKED], "did you mean -P low=0.9?"),
        (["weave", "upper(babi/task-1)"], "taskloom show 'weave/upper(babi/task-1)'"),
        (["show", "babi/task-1", "--task", "where"], "one task of a suite is written babi/task-1/TASK"),
        (["run", "babi/task-1", "-T", "seed=3", *ASKED], "did you mean --seed"),
        (["run", "babi/task-1", "-k", "3", *ASKED], "did you mean --num-fewshot"),
        (["--verison"], "did you mean '--version'?"),
        (["run", "babi/task-1", "--model", "llama3:8b", "-o", "out"], "ollama/llama3:8b"),
        (["run", "babi/task-1", "--temp", "0.5", *ASKED], "did you mean --temperature"),
        (["run", "zest/mix-t12", *ASKED], "did you mean 'babi/mix-t12'"),
        (["run", "babi/task-1", "--epochs", "3", *ASKED], "did you mean --adapt finetune -A epochs=3?"),
        (
            ["run", "babi/task-1", "--adapt", "finetune", "-A", "0.01", *ASKED],
            "-A takes KEY=VALUE, such as -A KEY=0.01",
        ),
        (["score", "runs/a", "--by", "question", "--by", "answer"], "--by: group by facets, separated by commas"),
        (["report", "runs/a", "-o", "my", "report.html"], "did you mean -o 'my report.html'?"),
        (["report", "runs/a", "-o", "page", "babi/task-1"], "unexpected 'babi/task-1'"),
        (["run", "babi/task-1", "--lr", "0.5", *ASKED], "did you mean --adapt finetune -A learning_rate=0.5?"),
        (["run", "babi/task-1", "-T", "test", "10", *ASKED], "-T takes KEY=VALUE, such as -T test=10, not 'test'"),
        (["run", "--suite", "babi/task1", *ASKED], "did you mean 'babi/task-1'"),
        (["generate", "babi/task-1", "--rows", "10", "-o", "out"], "did you mean -T test=10?"),
        (["probe", "babi/task-1", "--budget", "-3", *ASKED], "budget: must be 1 or more, not -3"),
        (["run", "babi/task-1", "-A", "updates=5", *ASKED], "choose an adaptation with --adapt"),
        (["run", "babi/task-1", "--timeout", "30", "--model", "api/m", "-o", "out"], "did you mean -M timeout=30?"),
        (["run", "babi/task-1", "--top_p", "0.5", *ASKED], "did you mean -D top_p=0.5?"),
        (["run", "babi/task-1", "--language", "de", *ASKED], "did you mean -T language=de?"),
        (["run", "babi/task-1", "-D", "lang=de", *ASKED], "did you mean -T language="),
        (["run", "babi/task-1", "--verbose", *ASKED], "taskloom serve DIR"),
        (["run", "babi/task-1", "--junit", "x", *ASKED], "taskloom gate has it"),
        (["run", "babi/task-1", "--probe", *ASKED], "taskloom probe is a command of its own"),
        (["run", "babi/task-1", "--max-samples", "10", *ASKED], "--limit 10: at most N instances per task"),
        (["run", "babi/task-1", "--modle", "mock/oracle", "-o", "out"], "did you mean --model mock/oracle"),
        (["run", "babi/task-1", "--scorer", "accuracy", *ASKED], "did you mean 'exact'?"),
        (["run", "mock/oracle", *ASKED], "'mock/oracle' is a model, not a suite"),
        (["run", "babi/task-1", "mock/oracle", "-o", "out"], "it comes after --model: --model mock/oracle"),
        (["run", "babi/task-1", "--model", "mock/oracle", *ASKED], "--model is given twice"),
        (["run", "babi/task-1", "--config", "mine.yaml", *ASKED], "a recipe is given in the place of the suite"),
        (["run", "babi/task-1", "--parallel", "8", *ASKED], "-M concurrency=… is a key of models on servers"),
        (["run", "babi/task-1", "--model", "gpt4", "-o", "out"], "did you mean openai/gpt-4?"),
        (["export", "babi/task-1", "hf", "-o", "out"], "taskloom export hf babi/task-1 -o out"),
        (["list", "datasets"], "did you mean 'suites'?"),
        (["run", "babi/task-1", "--flibber", *ASKED], "for example: taskloom run babi/task-1"),
        (["run", "babi/task-1,babi/task-2", *ASKED], "taskloom sweep A B"),
        (["run", "babi/task-1", "--model", "openai:gpt-4o", "-o", "out"], "did you mean 'openai/gpt-4o'"),
        (["run", "babi/task-1", "--model", "huggingface/gpt2", "-o", "out"], "did you mean 'hf/gpt2'"),
        (["run", "babi/task-1", "--model", "azure/gpt-4o", "-o", "out"], "litellm/azure/gpt-4o"),
        (["run", "babi/task-1", "--eval-split", "dev", *ASKED], "did you mean --split"),
        (["run", "babi/task-1", "-t", "test=5", *ASKED], "did you mean -T"),
        (["run", "babi/task-1", "--timeout", "30", *ASKED], "-M timeout=… is a key of models on servers"),
        (["run", "babi/task-1", "--model", "GPT-4o", "-o", "out"], "did you mean openai/gpt-4o?"),
        (["plot", "runs/a"], "taskloom report runs/a -o report.html"),
        (
            ["run", "babi/task-1", "--model", "openai/gpt-4o", "--adapt", "finetune", "-o", "out"],
            "openai/gpt-4o cannot",
        ),
        (["run", "babi/task-1", "--model", "api/llama", "-o", "out"], "needs the address of its server"),
        (["run", "babi/task-1", "--model", "chatgpt/gpt-4o", "-o", "out"], "openai/gpt-4o asks openai; "),
        (["run", "babi/task-1", "--adapt", "-A", "rank=8", *ASKED], "--adapt: none (default), in-context, finetune"),
        (["run", "babi/task-1", "--adapt", "finetune", "-A", "train=5", *ASKED], "did you mean -T train=…?"),
        (["run", "babi/task-1", "-T", "test: 50", *ASKED], "such as -T test=50, not 'test: 50'"),
        (["generate", "babi/custom", "-T", "events=[move,", "grab]", "-o", "out"], "'events=[move, grab]'?"),
        (["generate", "mine.yml", "-o", "out"], "taskloom show SUITE --recipe > mine.yml writes a recipe"),
        (["--list"], "then its options: taskloom list"),
        (["generate", "babi/custom", "-T", "questions=where-person", "-o", "out"], "questions=[where-person]: "),
        (["list", "options", "temperature"], "'temperature' is a key of generation"),
        (["gate", "runs/a", "--threshold", "0.8"], "did you mean --min"),
        (["run", "babi/task-1", "--model", "claude", "-o", "out"], "did you mean anthropic/claude-…?"),
        (["run", "babi/task-1", "--think", *ASKED], "-M effort=… is a key of models on servers"),
        (["run", "babi/task-1", "--max-len", "9", *ASKED], "did you mean --max-tokens"),
        (["run", "babi/task-1", "--encodign", "plain", *ASKED], "did you mean --encoding"),
        (["report", "--runs", "a", "-o", "r.html"], "did you mean taskloom report a?"),
        (["leaderbord", "runs"], "taskloom serve runs"),
        (["run", "babi/task-1", "--nshot", "3", *ASKED], "did you mean --num-fewshot"),
        (["run", "babi/task-1", "-T", "language=fr", *ASKED], "language: 'fr' is not one of en, de, es"),
        (["sql", "select 1", "."], "the query comes last"),
        (["report", "a,b"], "several are separated by blanks"),
        (
            ["run", "babi/task-1", "--model", "hf", "--model_args", "pretrained=a,dtype=half"],
            "did you mean --model hf/a?",
        ),
        (["run", "babi/task-1", "--gen_kwargs", "top_p=0.5", *ASKED], "did you mean -D top_p=0.5?"),
        (["run", "babi/task-1", "--model", "gpt2", "-o", "out"], "hf/gpt2 loads it"),
        (["run", "babi/task-1", "--model", "hf", "-o", "out"], "a model is hf/./FOLDER"),
        (["run", "babi/task-1", "--device", "cuda", *ASKED], "unknown key 'device'; known: answer"),
        (["run", "babi/task-1", "--engine", "slurm", *ASKED], "known: local, ray"),
        (["run", "babi/task-1", "-A", "lr", "--adapt", "finetune", *ASKED], "such as -A lr=…"),
        (["run", "babi/qa-1", *ASKED], "did you mean 'babi/task-1'"),
        (["export", "babi/task-1", "--format", "hf", "-o", "out"], "taskloom export hf SUITE"),
        (["show", "babi/task-1", "5"], "did you mean --n 5?"),
        (["new", "taks", "mine"], "did you mean 'task'?"),
        (["list", "options", "babi"], "taskloom list options babi/"),
        (["sql", "runs", "select", "*", "from", "records"], 'taskloom sql runs "select * from records"'),
        (["generate", "babi/task-1", "-T", "train=many", "-o", "out"], "train=9000: Sizes in questions."),
        (["run", "babi/task-1", "--adapt", "finetune", "-A", "batchsize=8", *ASKED], "did you mean 'batch'?"),
        (["list", "suites", "bbai"], "did you mean 'babi'"),
        (["score", "a", "--by"], "for example: taskloom score"),
        (["run", "babi/mix-t12", "-T", "vocabulary=huge", *ASKED], "vocabulary=…: "),
        (["run", "babi/task-1", "--normalise", "length", *ASKED], "known: byte, raw, token"),
        (["compare", "a", "b", "c"], "for example: taskloom compare"),
        (["gate", "a", "--min", "most"], "--min takes a number, not 'most'"),
        (["score", "babi/task-1"], "taskloom run babi/task-1 --model M -o DIR"),
        (["compare", "mock/majority", "mock/oracle"], "taskloom run SUITE --model mock/majority -o DIR"),
        (["study", "babi/mix-t12"], "'babi/mix-t12' is a suite, not a study"),
        (["run", "babi/task-1", "--model", "babi/task-2", "-o", "out"], "'babi/task-2' is a suite, not a model"),
        (["run", "babi/task-1", "--adapt", "chat", *ASKED], "'chat' is an encoding, not an adaptation"),
        (["run", "babi/task-1", "finetune", *ASKED], "it comes after --adapt: --adapt finetune"),
        (["show", "babi/task-1", "dev"], "it comes after --split: --split dev"),
        (
            ["generate", "babi/custom", "-T", '{"events": ["move"], "n": 3}', "-o", "o"],
            "-T 'events=[\"move\"]' -T n=3,",
        ),
        (["sweep", "babi/task-1", "--adapt", "finetune", *ASKED], "needs a model that can train; mock/majority cannot"),
        (
            ["train", "babi/task-1", "--model", "tiny/gru", "-o", "o"],
            "babi/task-1 --model tiny/gru -o o --adapt finetune",
        ),
        (["init", "family", "chess"], "taskloom new family chess"),
        (["init", "chess"], "taskloom new task chess"),
        (["plot", "runs", "--nothing"], "taskloom report DIR -o report.html"),
        (["list-suites"], "taskloom list suites"),
        (["probe", "babi/in-and-out", *ASKED], "'babi/in-and-out' is a study, not a suite"),
        (["generate", "chess/tables", "-o", "out"], "chess/tables: unknown family 'chess'; known: babi"),
        (["show", "stories/test.parquet"], "stories/test.parquet: no suite here: no such file or folder"),
        (["report", "openai/gpt-4o"], "this is a model, not the folder of a run"),
        (["export", "babi/mix-t12", "-o", "out"], "FORMAT comes first, then the suite: taskloom export FORMAT babi"),
        (["run", "babi/task-1", "limit=5", *ASKED], "unexpected limit=5; did you mean --limit 5?"),
        (
            ["sweep", "babi/task-1", "--adapt", "finetune", "--model", "tiny/gru", "learning_rate=0.1,1", "-o", "out"],
            "-G 'adapt.learning_rate=[0.1,1]'",
        ),
        (["resume", "runs/a"], "the command that began a run, with the same -o, continues it"),
        (["score", "--suite", "babi/task-1"], "'babi/task-1' is a suite: taskloom run babi/task-1 --model M -o DIR"),
        (["prune", "--older-than", "7d"], "for example: taskloom prune"),
        (["score", "runs/a", "--metric", "quasi_exact_match"], "did you mean --scorer normalised?"),
        (["oaieval", "gpt-4o", "babi/task-1"], "eval: run a model on a suite"),
    ],
)
def test_an_answer_names_what_was_meant(words, answer, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    assert main(words) == 2
    assert answer in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_run_is_no_suite_and_a_file_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "babi/task-1", "--limit", "2", "--model", "mock/majority", "-o", "done"]) == 0
    (tmp_path / "notes.txt").write_text("mine")
    capsys.readouterr()
    assert main(["probe", "done", *ASKED]) == 2
    assert "this folder is a run, not a suite\n  its suite is babi/task-1; " in capsys.readouterr().err
    assert main(["export", "records", "babi/task-1", "-o", "records"]) == 2
    assert "this is a suite, not the folder of a run" in capsys.readouterr().err
    assert main(["score", "dnoe"]) == 2
    assert "did you mean done?" in capsys.readouterr().err
    assert main(["score", "."]) == 2
    assert "no run here, but inside it: done" in capsys.readouterr().err
    assert main(["score", "notes.txt"]) == 2
    said = capsys.readouterr().err
    assert "this is a file, not the folder of a run" in said and "taskloom import outputs notes.txt" in said
    assert main(["cure", "done", "--model", "run/done", "-o", "out"]) == 2
    said = capsys.readouterr().err
    assert "this folder is a run, not a probe\n  taskloom probe babi/task-1 --model mock/majority -o DIR" in said
    assert main(["gate", "done", "--min", "80"]) == 2
    assert "80 % is 0.8" in capsys.readouterr().err
    assert main(["generate", "babi/task-1", "-o", "notes.txt"]) == 2
    assert "notes.txt is a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["list", "models", "decoder"], "tiny/gpt-1m"),
        (["help", "run"], "usage: taskloom run"),
        (["list", "babi"], "babi/task-1"),
        (["-v"], "taskl"),
    ],
)
def test_other_ways_to_ask_are_understood(words, printed, capsys):
    try:
        assert main(words) == 0
    except SystemExit as stopped:  # argparse ends after its help
        assert stopped.code == 0
    assert printed in capsys.readouterr().out
