/** The languages whose amounts and dates are read. */
export type Language = 'en' | 'fr' | 'de' | 'es' | 'it' | 'nl' | 'pt'

/** Small words that tell one of the languages from the others; what two of them share is left out or counts for both. */
const smallWords: Readonly<Record<Language, string>> = {
  en: 'the of and is to it you i we they for with was were has have had will go on at by from be this that costs cost price give my your back who about between under over less more than',
  fr: "le les des et est une du dans pour avec sur je il nous vous qui au aux ce cette ces par plus à été ont mais jusqu'au reviendrai d'euros coûte prix entre moins avons avez",
  de: 'der die das und ist ich nicht du bist ein eine einen dem den mit für auf von zu wir sie er es im am bei wurde hat bin uhr kostet preis zwischen über unter rund fahre komme wieder',
  es: 'el los las del y una un con por para que se su más fue en es al lo como está son volveré volvere cuesta precio entre menos hay tiene tenía la',
  it: "il lo gli di che è per una della del nel con sono ha da non dal al alla le tornerò tornato costa prezzo tra fra più meno dell'anno l'ultimo dei delle",
  nl: 'het een van de en ik is dat niet op te voor met zijn aan er ga naar kost prijs tussen meer minder dan wij terug wordt werd heeft bij',
  pt: 'o os do da dos das em um uma duas dois não com por para que no na nos foi é ao mais seu sua são custa preço entre menos pelo voltarei vou',
}

const votes = new Map<string, Language[]>()
for (const [language, words] of Object.entries(smallWords) as [Language, string][])
  for (const word of words.split(' ')) votes.set(word, [...(votes.get(word) ?? []), language])

/** Scale words, currency words and month names say more than an article does. */
const strong: readonly (readonly [Language, RegExp])[] = [
  [
    'fr',
    /\b(?:milliards?|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|aujourd'hui|centimes|livres)\b/giu,
  ],
  [
    'de',
    /\b(?:Millionen|Milliarden?|Mio|Mrd|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|heute|gestern|Euro und)\b/gu,
  ],
  [
    'es',
    /(?:\bmillones|\bdólares|\benero|\bfebrero|\bmarzo de|\babril de|\bmayo de|\bjunio|\bjulio|\bseptiembre|\boctubre|\bnoviembre|\bdiciembre|\bcéntimos|\bmañana|\bmil millones|\blibras esterlinas)\b/giu,
  ],
  [
    'it',
    /\b(?:milioni|miliard[oi]|dollari|sterline|centesimi|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|oggi|domani)\b/giu,
  ],
  [
    'nl',
    /\b(?:miljoen|miljard|januari|februari|maart|mei|juni|juli|augustus|oktober|vandaag|gisteren|overmorgen)\b/giu,
  ],
  [
    'pt',
    /\b(?:milh(?:ões|oes|ão|ao)|bilh(?:ões|oes|ão|ao)|reais|dólares americanos|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro de|dezembro|amanhã|hoje|ontem)(?!\p{L})/giu,
  ],
  [
    'en',
    /\b(?:millions? of|dollars|pounds|pence|january|february|march \d|may \d|june|july|october|december|today|tomorrow|yesterday)\b/giu,
  ],
]

/** Characters that are looked at; the language of a text shows long before that. */
const sampleLength = 8 * 1024

/**
 * The language that a text is written in, as far as the reading of amounts and dates depends on it; undefined when nothing
 * tells it.
 */
export const guessLanguage = (text: string): Language | undefined => {
  const sample = text.slice(0, sampleLength)
  const scores: Record<Language, number> = { en: 0, fr: 0, de: 0, es: 0, it: 0, nl: 0, pt: 0 }
  for (const [word] of sample.toLowerCase().matchAll(/[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?/gu))
    for (const language of votes.get(word.replace('’', "'")) ?? []) scores[language] += 1
  for (const [language, pattern] of strong) scores[language] += 2 * (sample.match(pattern)?.length ?? 0)
  const [first, second] = (Object.entries(scores) as [Language, number][]).sort((a, b) => b[1] - a[1])
  return first && first[1] > 0 && first[1] > (second?.[1] ?? 0) ? first[0] : undefined
}
