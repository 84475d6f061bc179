"""Calls that a model writes as text are calls, in every form and however they are cut; all other text stays."""

from __future__ import annotations

import pytest

from rag.chat_model.text_calls import TextCall, TextCalls

ARGUMENTS = '{"query": "pump"}'
CALL = '{"name": "retrieve_documentation", "arguments": {"query": "pump"}}'
WANTED = TextCall("retrieve_documentation", ARGUMENTS)


def read(text: str, size: int) -> tuple[str, list[TextCall]]:
    calls = TextCalls()
    shown = "".join(calls.feed(text[at : at + size]) for at in range(0, len(text), size))
    rest, called = calls.end()
    return shown + rest, list(called)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [
        ARGUMENTS,
        CALL,
        f"```json\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"[TOOL_CALLS][{CALL}]",
        f"[TOOL_CALLS]{CALL}",
        f"<function=retrieve_documentation>{ARGUMENTS}</function>",
        '<invoke name="retrieve_documentation"><parameter name="query">pump</parameter></invoke>',
        "<function=retrieve_documentation>\n<parameter=query>\npump\n</parameter>\n</function>",
        'retrieve_documentation(query="pump")',
        '```python\nretrieve_documentation("pump")\n```',
        f"Action: retrieve_documentation\nAction Input: {ARGUMENTS}",
        f"retrieve_documentation {ARGUMENTS}",
        CALL.replace('"', "'"),
        CALL.replace('"pump"', '"pump", "language": 3'),
        f"<|python_tag|>{CALL}",
        '{"name": "retrieve_documentation", "parameters": {"q": "pump"}}',
        f"{CALL}\n\nTool result: the pump has 12 legs.",
        f"```tool_call\n{CALL}\n```",
        f"```tool call\n{CALL}\n```",
        '```tool_code\nprint(retrieve_documentation(query="pump"))\n```',
        f"```javascript\nretrieve_documentation({ARGUMENTS})\n```",
        '<|python_tag|>retrieve_documentation.call(query="pump")<|eom_id|>',
        f"functions.retrieve_documentation({ARGUMENTS})",
        f"to=functions.retrieve_documentation json\n{ARGUMENTS}",
        f"<|channel|>commentary to=functions.retrieve_documentation <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
        f"<tool_use><name>retrieve_documentation</name><arguments>{ARGUMENTS}</arguments></tool_use>",
        "<retrieve_documentation><query>pump</query></retrieve_documentation>",
        "<tool_call>\n<function=retrieve_documentation>\n<parameter=query>\npump\n</parameter>\n</function>\n</tool_call>",
        "tool: retrieve_documentation\narguments:\n  query: pump",
        "```yaml\nname: retrieve_documentation\narguments:\n  query: pump\n```",
        "Action: retrieve_documentation\nAction Input: pump",
        '{"tool_calls": [{"type": "function", "function": {"name": "retrieve_documentation", "arguments": '
        '"{\\"query\\": \\"pump\\"}"}}]}',
        f'<|START_ACTION|>[{{"tool_name": "retrieve_documentation", "parameters": {ARGUMENTS}}}]<|END_ACTION|>',
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>retrieve_documentation\n```json\n{ARGUMENTS}\n```",
        f"[TOOL_CALLS]retrieve_documentation[ARGS]{ARGUMENTS}",
        '<|tool_call_start|>[retrieve_documentation(query="pump")]<|tool_call_end|>',
        f"<think>I should search. {CALL}</think>{CALL}",
    ],
)
def test_a_call_written_as_text_is_taken_and_never_shown(text: str, size: int) -> None:
    assert read(text, size) == ("", [WANTED])


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "The pump runs for five seconds.",
        "Use `{}` for {x}, [90, 180] or [1, 2, 3].",
        "```bash\nls\n```\nThen go.",
        'Write this:\n```json\n{"port": 80, "name": "pump"}\n```\nDone.',
        "See [p-0a1b2c]. <b>x</b> and a < b",
        "Tool use is good. Action is needed: go",
        "rows[3][4] = {1: 2}",
        "Call `retrieve_documentation` first.",
        '[{"x": 1}]',
        '{["a"]}',  # a set of lists, which Python refuses
    ],
)
def test_other_text_stays_as_it_is(text: str, size: int) -> None:
    assert read(text, size) == (text, [])


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("call", [CALL, f"```json\n{CALL}\n```", 'retrieve_documentation(query="pump")'])
def test_a_call_after_prose_is_taken_too(call: str, size: int) -> None:
    shown, found = read(f"I will look that up.\n\n{call}", size)
    assert found == [WANTED] and "retrieve" not in shown and "{" not in shown


def test_a_call_that_is_cut_off_is_one_that_cannot_be_read_and_is_not_shown() -> None:
    shown, [call] = read(CALL[:-12], 5)
    assert shown == "" and call.arguments == CALL[:-12]


def test_an_answer_in_json_is_the_answer() -> None:
    assert read('{"answer": "The pump runs."}', 4) == ("The pump runs.", [])
