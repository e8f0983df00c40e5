import type { Language } from '../../../lib/text/amount/language.ts'

/** The names of the months in seven languages; `short` ones are words of other languages too. */
const fullMonths: Readonly<Record<Language, string>> = {
  en: 'january february march april may june july august september october november december',
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  de: 'januar/jänner/jaenner februar/feber märz/maerz april mai juni juli august september oktober november dezember',
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre',
  it: 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  nl: 'januari februari maart april mei juni juli augustus september oktober november december',
  pt: 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
}
const shortMonths: Readonly<Record<Language, string>> = {
  en: 'jan feb mar apr - jun jul aug sep/sept oct nov dec',
  fr: 'janv/jan févr/fév avr/- avr - - juil/jul - sept oct nov déc',
  de: 'jan feb mär/mrz apr - jun jul aug sep/sept okt nov dez',
  es: 'ene feb mar abr may jun jul ago sep/sept/set oct nov dic',
  it: 'gen feb mar apr mag giu lug ago set/sett ott nov dic',
  nl: 'jan feb mrt/maa apr - jun jul aug sep/sept okt nov dec',
  pt: 'jan fev mar abr mai jun jul ago set out nov dez',
}

export type MonthName = { month: number; languages: Language[] }

const toPlain = (word: string): string => word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

const months = new Map<string, MonthName>()
for (const table of [fullMonths, shortMonths])
  for (const [language, names] of Object.entries(table) as [Language, string][])
    for (const [nth, spellings] of names.split(' ').entries())
      for (const name of spellings.split('/')) {
        if (name === '-') continue
        const entry = months.get(toPlain(name))
        if (entry?.month === nth + 1) entry.languages.push(language)
        else if (!entry) months.set(toPlain(name), { month: nth + 1, languages: [language] })
      }
months.set('avr', { month: 4, languages: ['fr'] })

/** The month that a word names in any of the languages. */
export const readMonth = (word: string): MonthName | undefined => months.get(toPlain(word).replace(/\.$/, ''))

/** Abbreviations that are common words elsewhere: "set", "out", "ago", "may", "mar". */
export const isCommonWord = (word: string): boolean =>
  /^(?:set|sett|out|ago|may|mar|mars|march|gen|mag|lug|mai|dec|ene|giu|abr|mei|august|jan|jun|ott|maa)$/.test(
    toPlain(word).replace(/\.$/, ''),
  )

const spellings = (table: Readonly<Record<string, string>>): string =>
  [
    ...new Set(
      Object.values(table)
        .flatMap(names => names.split(/[ /]/))
        .filter(name => name !== '-'),
    ),
  ]
    .flatMap(name => [...new Set([name, toPlain(name)])])
    .sort((a, b) => b.length - a.length)
    .join('|')

export const monthPattern = `(?:${spellings({ ...fullMonths })}|${spellings(shortMonths)}|avr)`

/** Weekdays from Monday, 1 to 7. */
const fullWeekdays: Readonly<Record<Language, string>> = {
  en: 'monday tuesday wednesday thursday friday saturday sunday',
  fr: 'lundi mardi mercredi jeudi vendredi samedi dimanche',
  de: 'montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag',
  es: 'lunes martes miércoles jueves viernes sábado/sábados domingo/domingos',
  it: 'lunedì martedì mercoledì giovedì venerdì sabato domenica',
  nl: 'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag',
  pt: 'segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo',
}
const shortWeekdays: Readonly<Record<Language, string>> = {
  en: 'mon tue/tues wed/weds thu/thur/thurs fri sat sun',
  fr: 'lun mar mer jeu ven sam dim',
  de: 'mo di mi do fr sa so',
  es: 'lun mar mie/mié/mi jue vie sab/sáb dom',
  it: 'lun mar mer gio ven sab dom',
  nl: 'ma di wo do vr za zo',
  pt: 'segunda/seg terça/ter quarta/qua quinta/qui sexta/sex sab/sáb dom',
}
const weekdays = new Map<string, number>()
for (const table of [fullWeekdays, shortWeekdays])
  for (const names of Object.values(table))
    for (const [nth, words] of names.split(' ').entries())
      for (const word of words.split('/'))
        if (!weekdays.has(toPlain(word))) weekdays.set(toPlain(word), nth + 1)
for (const [nth, word] of fullWeekdays.pt.split(' ').slice(0, 5).entries())
  weekdays.set(toPlain(word.replace('-', ' ')), nth + 1)

/** The weekday that a word names, Monday being 1. */
export const readWeekday = (word: string): number | undefined =>
  weekdays.get(toPlain(word).replace(/\.$/, ''))

export const weekdayPattern = `(?:${spellings(fullWeekdays)}|(?:segunda|ter[çc]a|quarta|quinta|sexta) feira)`
export const anyWeekdayPattern = `(?:${spellings(fullWeekdays)}|(?:segunda|ter[çc]a|quarta|quinta|sexta) feira|${spellings(shortWeekdays)})`

const ordinals: readonly string[] = [
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first',
  'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième',
  'première seconde',
  'erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte dreizehnte vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste einundzwanzigste zweiundzwanzigste dreiundzwanzigste vierundzwanzigste fünfundzwanzigste sechsundzwanzigste siebenundzwanzigste achtundzwanzigste neunundzwanzigste dreißigste einunddreißigste',
  'primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo',
  'primer - tercer',
  'primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo',
  'eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde dertiende veertiende vijftiende zestiende zeventiende achttiende negentiende twintigste eenentwintigste tweeëntwintigste drieëntwintigste vierentwintigste vijfentwintigste zesentwintigste zevenentwintigste achtentwintigste negenentwintigste dertigste eenendertigste',
  'primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo',
  'primeira segunda terceira quarta quinta',
  'prima seconda terza quarta quinta',
]
const ordinalDays = new Map<string, number>()
for (const list of ordinals)
  for (const [nth, word] of list.split(' ').entries()) {
    const plain = toPlain(word)
    if (word === '-' || ordinalDays.has(plain)) continue
    ordinalDays.set(plain, nth + 1)
    ordinalDays.set(plain.replace('-', ' '), nth + 1)
    if (plain.endsWith('e')) for (const ending of ['n', 'r', 's']) ordinalDays.set(plain + ending, nth + 1)
  }
for (const [nth, word] of 'primero segundo tercero cuarto quinto sexto septimo octavo noveno'
  .split(' ')
  .entries()) {
  ordinalDays.set(`decimo ${word}`, 11 + nth)
  ordinalDays.set(`vigesimo ${word}`, 21 + nth)
}
for (const [word, day] of [
  ['vigesimo', 20],
  ['trigesimo', 30],
  ['trigesimo primero', 31],
  ['ultimo', -1],
  ['last', -1],
  ['letzten', -1],
  ['laatste', -1],
  ['dernier', -1],
] as const)
  ordinalDays.set(word, day)

/** The day that an ordinal such as "twenty-first" or "ersten" names; -1 for the last one. */
export const readOrdinal = (word: string): number | undefined =>
  ordinalDays.get(toPlain(word.replace(/\s+/g, ' ')))

/** Words for days near the reference, by their distance. */
export const nearDays: readonly (readonly [number, string])[] = [
  [
    -2,
    "the day before yesterday|day before yesterday|avant[- ]hier|vorgestern|anteayer|antier|el d[ií]a antes de ayer|antes de ayer|l['’]altro ?ieri|altro ?ieri|avantieri|eergisteren|anteontem|antes de ontem",
  ],
  [
    2,
    'the day after tomorrow|day after tomorrow|apr[èe]s[- ]demain|übermorgen|uebermorgen|pasado mañana|el d[ií]a despu[ée]s de mañana|dopodomani|dopo domani|overmorgen|depois de amanh[ãa]',
  ],
  [0, "today|tonight|aujourd['’ ]?hui|ce jour|heute|hoy|oggi|in giornata|vandaag|hoje"],
  [
    1,
    'tomorrow|demain|(?:le )?lendemain|morgen|mañana|domani|amanh[ãa]|(?:the )?next day|(?:the )?following day|(?:le )?jour suivant|am nächsten tag|el d[ií]a siguiente|el pr[óo]ximo d[ií]a|il giorno dopo|il giorno seguente|de volgende dag|o dia seguinte|o próximo dia',
  ],
  [
    -1,
    "yesterday|hier|gestern|ayer|ieri|gisteren|ontem|(?:the )?last day|(?:el )?[úu]ltimo d[ií]a|l['’]ultimo giorno|(?:de )?laatste dag|le jour précédent|o último dia|dernier jour",
  ],
]
