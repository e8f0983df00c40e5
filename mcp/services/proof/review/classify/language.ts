/** Function words by language: frequent, and in a sentence of that language hard to avoid. */
const functionWords: Readonly<Record<string, string>> = {
  en: 'the and of to a in is that for it with as was on be by this are from or at an not have has had but we they you which will if no all their its been were who he she his her our your can when what there so only then after before up out into than do does each any how also them these i my me us off without until must should may per about between because nothing nobody every both where once more most other one two over under never',
  de: 'der die das und nicht ist ein eine einen einem einer den dem des mit für auf von zu zum zur im wird werden sind sich ohne oder aus bei nach vor wir ich sie es alle auch noch wenn dass keine kein über durch bitte vom am jetzt dann nur wurde',
  fr: 'le la les des une et est dans pour sur nous vous avec qui que pas sans du ne au aux ce cette il elle ils sont être par tout tous toutes ou où mais leur ses son sa je avant après sera',
  es: 'el los las una y en para con por que se del es al lo su sus como más pero todos todas sin sobre este esta ya hay antes después son está nos ningún ninguna desde hasta sea ahora',
  pt: 'o os as uma e em para com não sem da do dos das ao aos é são que por se mais todos todas na no nas nos pela pelo antes depois foi está isso esta este seu sua já',
  it: 'il lo gli una e di che per con non del della dei delle al alla sono senza nel nella da più tutti tutte è si dal dalla questo questa prima dopo anche i le ai',
  nl: 'de het een en van niet voor met zijn wij zonder naar worden wordt aan dat die er ook bij als alle uit nog maar om deze dit geen wel moet daarna ze ik te op',
  pl: 'w na z nie się do bez jest oraz wszystkie i że dla po od jak przez są ale lub przed tylko już będzie tego ten ta to za ze wszystkich',
  tr: 've bir bu için ile tüm olarak olmadan da de çok daha gibi sonra önce kadar ama veya her hiçbir değil olan bütün şimdi var yok',
  sv: 'och att det är inte för på med utan alla en ett som av vi från den de har ska eller innan efter kommer kan utan sig nu',
  da: 'og ikke til er det uden på med alle en et som af vi fra den de har skal eller før efter for at vil kan sig nu jeg',
  fi: 'ja ei on ilman kaikki että se ovat tai kun mutta myös vain ennen jälkeen tämä ne ole niin kuin nyt heti',
  cs: 'a v na se není bez všechny je že do pro po od jako ale nebo před jen už bude tento to za ze jsou si k s',
  ro: 'și nu în fără pentru la de cu pe este sunt din toate să dar sau după înainte o un',
  hu: 'és a az nem minden nélkül hogy is van egy meg csak de vagy után előtt ezt ki el lesz már',
  no: 'og ikke til er det uten på med alle en et som av vi fra den de har skal eller før etter for at vil kan seg nå jeg',
  et: 'ja ei on ilma kõik et või kui ning aga ka ainult enne pärast olema kohe',
  lt: 'ir ne yra be visi visų visus kad tai iš į su bet taip tik prieš po dabar',
  hr: 'bez nije sve koji koja prije nakon svih kao ili ali samo već biti ovo taj što iz sa za od na',
  ca: 'els les una amb per sense que totes tots no del és són més abans després aquest aquesta ara',
  sq: 'të dhe një për nuk pa është nga me në që janë para pas tani',
  sw: 'kwa bila yote zote na ya wa ni katika hii hiyo kabla baada sasa',
  tl: 'ang ng mga sa nang walang lahat hindi para ito ay ngayon bago',
  id: 'dan yang tidak di untuk tanpa semua ke dari dengan ini itu adalah akan pada oleh atau sebelum setelah sudah kita',
  vi: 'và không của các cho là được trong một có tất cả với này để từ trước sau đã sẽ',
}

const languages = Object.keys(functionWords)
const english = languages.indexOf('en')

const languagesOf = new Map<string, number[]>()
for (const [nth, words] of Object.values(functionWords).entries())
  for (const word of new Set(words.split(' ').filter(each => each.length > 1)))
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), nth])

const scripts = (
  'Han:zh Hiragana:ja Katakana:ja Hangul:ko Arabic:ar Cyrillic:ru Greek:el Hebrew:he Thai:th Devanagari:hi Bengali:bn Tamil:ta ' +
  'Telugu:te Georgian:ka Armenian:hy Ethiopic:am Khmer:km Myanmar:my Lao:lo Sinhala:si Gujarati:gu Gurmukhi:pa Kannada:kn Malayalam:ml'
)
  .split(' ')
  .map(pair => pair.split(':') as [string, string])
  .map(([script, language]) => ({ language, pattern: new RegExp(`\\p{Script=${script}}`, 'gu') }))

/** The language of a piece whose letters are hardly Latin. */
const languageOfScript = (piece: string): string | undefined => {
  if (!/[^\p{ASCII}]/u.test(piece)) return undefined
  const foreign = piece.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  const latin = piece.match(/\p{Script=Latin}/gu)?.length ?? 0
  // A name or a unit in another script does not make a sentence: four letters at least, and a fifth of all.
  if (foreign < 4 || foreign * 4 < latin) return undefined
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(piece)) return 'ja'
  const counted = scripts.map(({ language, pattern }) => ({
    language,
    count: piece.match(pattern)?.length ?? 0,
  }))
  const [best] = counted.sort((a, b) => b.count - a.count)
  return best && best.count > 0 ? best.language : 'unknown'
}

const freeWord = /^["'“„«»(*_¿¡]*(\p{L}+(?:[-'’]\p{L}+)*)["'”“»)*_.,;:!?…]*$/u

/** A word that stands free between blanks: its languages, and whether it has letters that English has not. Names may have them. */
type FreeWord = { lower: string; languages: readonly number[]; isMarked: boolean }

/** Words by what stands between blanks, where most stand often; undefined for what is joined by other marks: code, a path or a name. */
type FreeWords = Map<string, FreeWord | undefined>

const parseFreeWord = (piece: string): FreeWord | undefined => {
  const word = freeWord.exec(piece)?.[1]
  if (word === undefined) return undefined
  const lower = word.toLowerCase()
  return {
    lower,
    languages: languagesOf.get(lower) ?? [],
    isMarked: /^\p{Ll}.*[^\p{ASCII}’]|^\p{L}+[^\p{ASCII}’].*[^\p{ASCII}’]/u.test(word),
  }
}

const fewestWords = 3

/** The language of a piece by its function words: undefined where it has too few words, or none that tells. */
const languageOfWords = (piece: string, known: FreeWords): string | undefined => {
  const pieces = piece.trim().split(/\s+/)
  const counts = new Uint16Array(languages.length)
  const seen = new Set<string>()
  let [count, marked] = [0, 0]
  for (const each of pieces) {
    let word = known.get(each)
    if (word === undefined && !known.has(each)) {
      word = parseFreeWord(each)
      known.set(each, word)
    }
    if (word === undefined) continue
    count++
    if (word.isMarked) marked++
    if (word.languages.length === 0 || seen.has(word.lower)) continue
    seen.add(word.lower)
    // A long function word weighs as two: it is no abbreviation.
    for (const language of word.languages)
      counts[language] = (counts[language] ?? 0) + (word.lower.length > 3 && language !== english ? 2 : 1)
  }
  if (count < fewestWords || count * 2 < pieces.length) return undefined
  const inEnglish = counts[english] ?? 0
  counts[english] = 0
  const most = Math.max(...counts)
  if (most >= 2 && most > inEnglish * 1.5 && most * 8 >= count) return languages[counts.indexOf(most)]
  // Hardly a function word of English, and letters that it has not: a language that is not listed.
  if (marked > inEnglish && marked * 6 >= count) return 'unknown'
  return inEnglish > 0 ? 'en' : undefined
}

/**
 * The language of a text, as an ISO 639-1 code, `zxx` where it has none (code, settings, figures) or `unknown`. `isRead` is false where any
 * piece of it (a line, or a sentence in it) is in a language other than English: that piece is not judged by its words.
 */
export const detectLanguage = (text: string): { language: string; isRead: boolean } => {
  let hasEnglish = false
  const known: FreeWords = new Map()
  for (const line of text.split(/\n+/)) {
    const sentences = [...new Set(line.split(/(?<=[.!?;])\s+/))]
    const detected = sentences.map(sentence => languageOfScript(sentence) ?? languageOfWords(sentence, known))
    // Sentences may be too short to tell: then the line as a whole may.
    if (sentences.length > 1 && detected.some(language => language !== 'en'))
      detected.push(languageOfScript(line) ?? languageOfWords(line, known))
    const other = detected.find(language => language !== undefined && language !== 'en')
    if (other !== undefined) return { language: other, isRead: false }
    hasEnglish ||= detected.includes('en')
  }
  return { language: hasEnglish ? 'en' : 'zxx', isRead: true }
}
