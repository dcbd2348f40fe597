"""What each embedded task asks for: the material it works on, and what is done with it.

Tasks with the same skills are one cell of the collection's lattice, and a task whose skills are all asked for by a
larger one is a part of it: who can add and who can compare may still fail to compare two sums.
"""

from __future__ import annotations

from functools import cache

__all__ = ["skills_of"]

_SKILLS = """
letters reverse: reverse_letters invertir_letras
letters filter: remove_vowels quitar_vocales
letters copy: double_letters
letters replace: replace_letter
letters replace order: shift_letters
letters swap: swap_end_letters
letters case: title_case
letters case join: snake_case
letters case split: split_camel_case
letters case extract: initials
letters compare: anagram_check es_anagrama
letters reverse compare: palindrome_check
letters count: count_vowels contar_vocales
letters overlap: common_prefix
letters reverse replace steps: word_editor
lists join: list_to_phrase lista_en_frase
lists reverse: reverse_words invertir_orden
lists order: sort_words ordenar_palabras
lists order letters count: sort_by_length
lists join position: interleave_lines
lists compare: same_words_check
lists filter compare: remove_duplicates quitar_repetidas
lists position: even_positions
lists overlap: common_items common_words elementos_comunes
lists overlap filter: list_difference
lists filter compare numbers: numbers_above
lists order numbers: sort_descending
lists letters count compare: longest_word
lists filter numbers divide: numeros_pares prime_numbers
words count: count_word
words case count: count_names
numbers add: add_numbers
numbers compare subtract: largest_minus_smallest
numbers divide: division_remainder divisible
numbers add divide: average
numbers add multiply: shopping_bill
numbers multiply subtract: vuelta_de_la_compra
numbers spell: number_to_words numero_en_palabras words_to_number palabras_en_numero
numbers numerals: to_roman from_roman
numbers numerals multiply add: binary_to_decimal
numbers add compare: compare_sums comparar_sumas
numbers subtract continue: next_by_step numero_siguiente fill_sequence_gap
numbers multiply add continue: next_by_rule
numbers add continue: next_sum_of_two
numbers add subtract multiply steps: register_machine
dates spell: date_to_iso fecha_larga
dates add: add_days dias_despues
dates subtract: days_between
dates compare: earlier_date
dates divide add: weekday_later
times spell: to_24_hours
times add: clock_later hora_despues
times subtract: duration
times compare: meetings_overlap
units multiply add: metres_to_centimetres metros_a_centimetros kilograms_to_grams
units divide: minutes_to_hours
tables look-up: table_cell tabla_ciudad
tables look-up compare: table_oldest
tables filter count: table_count
tables filter numbers add: table_sum
tables filter numbers compare: table_filter
tables look-up doubt: table_answers_question
records write: person_to_text product_to_text event_to_text persona_en_texto
sentences extract roles: extract_buyer extraer_vendedor
sentences extract: extract_price extract_address
sentences look-up doubt: facts_answer_question se_puede_responder
lists add subtract steps: track_order
sentences look-up steps: track_lights
truth negation: boolean_value
sentences compare order: tallest_person el_mas_joven
sentences infer: follow_rules
space add steps: walk_position
space steps: facing_direction hacia_donde_mira
space order sentences: shelf_order
sentences replace copy steps: action_commands
sentences infer numbers compare: entail_quantity implica_cantidad
sentences infer kinds: entail_kind
kinds: name_the_kind
kinds compare: odd_one_out palabra_intrusa
kinds filter: pick_the_kind
glossary agreement: phrases_to_spanish phrases_to_english
glossary agreement tense sentences: sentence_to_spanish sentence_to_english
sentences agreement: fill_is_are completar_articulo
sentences agreement replace: fix_verb_form corregir_concordancia corregir_articulo
sentences agreement doubt: judge_verb_form juzgar_concordancia
sentences articles: fill_article
sentences articles replace: fix_article
sentences articles doubt: judge_articles
sentences filter compare: remove_doubled_word
sentences tense: to_past_tense poner_en_pasado
sentences negation: negate_sentence negar_frase
sentences ask: make_question
sentences voice tense: to_passive
sentences speech-parts: tag_all_words
sentences speech-parts extract: find_verbs find_adjectives buscar_verbo
sentences roles refer: resolve_pronoun resolve_owner resolver_pronombre
"""


@cache
def skills_of() -> dict[str, tuple[str, ...]]:
    """The skills of every embedded task by name, sorted."""
    found: dict[str, tuple[str, ...]] = {}
    for line in _SKILLS.strip().splitlines():
        skills, _, names = line.partition(": ")
        found |= dict.fromkeys(names.split(), tuple(sorted(skills.split())))
    return found
