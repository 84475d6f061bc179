"""What the answers say in words of their own, in the language of the question if it is known here."""

from __future__ import annotations

from ingestion.languages import language_of

REFUSAL = "I don't have information about that in the book content."
"""What an answer without support is, and what a model is told to write then."""

NO_MORE = "The book says no more on this."
"""What answers a request for more where all of it was quoted."""

NOTHING_YET = "The book has a section on this, “{}”, which says nothing yet."
"""What answers where the best place for a question has only a heading, a picture or an announcement."""

NOTHING_INDEXED = "The index holds nothing of this book yet, so there is nothing to answer from."
"""What answers where the book has no chunk at all."""

NOTHING_WITHIN_FILTERS = "No page of the book is within these filters, so nothing was searched."
"""What answers where the filters leave no page."""

REFUSALS = (REFUSAL, "I couldn't find that information in the book.")
"""What counts as the model's refusal; small models often write the second."""

REPLACED = "Hardly anything of this was found in the book. What the book says:"
"""Stands between an answer that was shown and the quotation in its place."""

DISCLAIMER = "The book may not fully answer this; check the sources.\n\n"
"""What begins an answer of low confidence."""

OTHER_LANGUAGE = "The book is in another language than the question, and nothing in it was found that answers."
"""What answers a question in a language that the embedding model does not bring together with that of the book."""

FOLLOW_UP = "What does the book say about “{}”?"
"""What asks for a section by its title."""

_PHRASES: dict[str, dict[str, str]] = {
    "de": {
        FOLLOW_UP: "Was sagt das Buch über „{}“?",
        REFUSAL: "Dazu steht nichts im Buch.",
        DISCLAIMER: "Das Buch beantwortet dies vielleicht nicht ganz; bitte die Quellen prüfen.\n\n",
        OTHER_LANGUAGE: "Das Buch ist in einer anderen Sprache als die Frage; darin wurde keine Antwort gefunden.",
        NOTHING_INDEXED: "Der Index enthält noch nichts von diesem Buch.",
        NOTHING_WITHIN_FILTERS: "Keine Seite des Buchs liegt innerhalb dieser Filter; es wurde nichts durchsucht.",
        NO_MORE: "Mehr sagt das Buch dazu nicht.",
        NOTHING_YET: "Das Buch hat dazu einen Abschnitt, „{}“, in dem noch nichts steht.",
    },
    "es": {
        FOLLOW_UP: "¿Qué dice el libro sobre «{}»?",
        REFUSAL: "El libro no dice nada sobre esto.",
        DISCLAIMER: "Es posible que el libro no responda del todo a esto; compruebe las fuentes.\n\n",
        OTHER_LANGUAGE: "El libro está en otro idioma que la pregunta y no se encontró en él una respuesta.",
        NOTHING_INDEXED: "El índice aún no contiene nada de este libro; no hay de dónde responder.",
        NOTHING_WITHIN_FILTERS: "Ninguna página del libro está dentro de estos filtros; no se buscó en nada.",
        NO_MORE: "El libro no dice más sobre esto.",
        NOTHING_YET: "El libro tiene una sección sobre esto, «{}», que todavía no dice nada.",
    },
    "fr": {
        FOLLOW_UP: "Que dit le livre sur « {} » ?",
        REFUSAL: "Le livre ne dit rien à ce sujet.",
        DISCLAIMER: "Le livre n'y répond peut-être pas entièrement ; vérifiez les sources.\n\n",
        OTHER_LANGUAGE: "Le livre est dans une autre langue que la question, et aucune réponse n'y a été trouvée.",
        NOTHING_INDEXED: "L'index ne contient encore rien de ce livre ; il n'y a rien d'où répondre.",
        NOTHING_WITHIN_FILTERS: "Aucune page du livre n'est dans ces filtres ; rien n'a été cherché.",
        NO_MORE: "Le livre n'en dit pas plus.",
        NOTHING_YET: "Le livre a une section à ce sujet, « {} », qui ne dit encore rien.",
    },
    "ur": {
        FOLLOW_UP: "کتاب ”{}“ کے بارے میں کیا کہتی ہے؟",
        REFUSAL: "کتاب میں اس بارے میں کچھ نہیں ہے۔",
        DISCLAIMER: "ممکن ہے کتاب اس کا پورا جواب نہ دے؛ براہ کرم ماخذ دیکھ لیں۔\n\n",
        OTHER_LANGUAGE: "کتاب سوال سے مختلف زبان میں ہے، اور اس میں کوئی جواب نہیں ملا۔",
        NOTHING_INDEXED: "اشاریے میں ابھی اس کتاب کا کچھ بھی نہیں ہے، اس لیے جواب نہیں دیا جا سکتا۔",
        NOTHING_WITHIN_FILTERS: "کتاب کا کوئی صفحہ ان فلٹروں میں نہیں آتا؛ کچھ تلاش نہیں کیا گیا۔",
        NO_MORE: "کتاب اس بارے میں مزید کچھ نہیں کہتی۔",
        NOTHING_YET: "کتاب میں اس پر ایک حصہ ہے، ”{}“، جس میں ابھی کچھ نہیں لکھا گیا۔",
    },
    "ar": {
        FOLLOW_UP: "ماذا يقول الكتاب عن «{}»؟",
        REFUSAL: "لا يتضمن الكتاب شيئًا عن هذا.",
        DISCLAIMER: "قد لا يجيب الكتاب عن هذا إجابة كاملة؛ يُرجى مراجعة المصادر.\n\n",
        OTHER_LANGUAGE: "الكتاب بلغة غير لغة السؤال، ولم يُعثر فيه على إجابة.",
        NOTHING_INDEXED: "لا يحتوي الفهرس على شيء من هذا الكتاب بعد، فلا يوجد ما يُجاب منه.",
        NOTHING_WITHIN_FILTERS: "لا توجد صفحة من الكتاب ضمن هذه المرشحات؛ لم يُبحث في شيء.",
        NO_MORE: "لا يقول الكتاب أكثر من هذا عن الموضوع.",
        NOTHING_YET: "في الكتاب قسم عن هذا، «{}»، لكنه لا يقول شيئًا بعد.",
    },
    "zh": {
        FOLLOW_UP: "关于“{}”，书里是怎么说的？",
        REFUSAL: "书中没有这方面的内容。",
        DISCLAIMER: "书中的内容可能没有完全回答这个问题，请查看出处。\n\n",
        OTHER_LANGUAGE: "这本书与问题的语言不同，没有在书中找到答案。",
        NOTHING_INDEXED: "索引中还没有这本书的内容，因此无法回答。",
        NOTHING_WITHIN_FILTERS: "书中没有符合这些筛选条件的页面，因此没有进行搜索。",
        NO_MORE: "书中没有更多这方面的内容。",
        NOTHING_YET: "书中有一节“{}”与此有关，但还没有内容。",
    },
}


def phrase(english: str, question: str) -> str:
    """Return a sentence of the agent in the language of the question, in English where it is not known here."""
    return _PHRASES.get(language_of(question) or "en", {}).get(english, english)
