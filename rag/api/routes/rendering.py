"""Route that makes colours of code and the layout of formulas, for the chat page and for others who show answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from rag.api.dependencies import CurrentCaller, Services
from rag.api.services.rendering import MAX_CODE_CHARS, MAX_FORMULA_CHARS

router = APIRouter(tags=["chat"])

MAX_ITEMS = 50


class Code(BaseModel):
    """Code in a language that a fence names, such as `python`."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["code"]
    text: str = Field(max_length=MAX_CODE_CHARS)
    language: str = Field(max_length=100)


class Formula(BaseModel):
    """A formula of TeX without its marks; `display` sets it on lines of its own."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["math"]
    text: str = Field(max_length=MAX_FORMULA_CHARS)
    display: bool = False


class RenderRequest(BaseModel):
    """Code and formulas to render."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"items": [{"kind": "math", "text": "E = mc^2"}]}]},
    )

    items: tuple[Annotated[Code | Formula, Field(discriminator="kind")], ...] = Field(max_length=MAX_ITEMS)


class Rendered(BaseModel):
    """One result per item, null for what is to be shown as it is.

    Of code a list of `[kind, text]`, the kind `comment`, `keyword`, `name`, `string`, `number`, `added`, `removed` or
    empty. Of a formula a tree of MathML: `[element, attributes, children]`, where a child is a tree or text.
    """

    items: tuple[list[Any] | None, ...]


@router.post("/render", response_model=Rendered, operation_id="render")
async def render(body: RenderRequest, _: CurrentCaller, services: Services) -> Any:
    """Colour code and lay out formulas."""
    asked = (
        ("code", item.text, item.language) if isinstance(item, Code) else ("math", item.text, item.display)
        for item in body.items
    )
    return {"items": [await services.renderer.render(each) for each in asked]}
