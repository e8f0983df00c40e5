/** Signs that stand for one currency; null where several countries use the sign. */
const signs: Readonly<Record<string, string | null>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '￥': 'JPY',
  '₹': 'INR',
  '₨': null,
  '₩': 'KRW',
  '₽': 'RUB',
  '₺': 'TRY',
  '₪': 'ILS',
  '₫': 'VND',
  '₴': 'UAH',
  '₦': 'NGN',
  '₱': 'PHP',
  '฿': 'THB',
  '₿': 'BTC',
  '₡': 'CRC',
  '₲': 'PYG',
  '₸': 'KZT',
  '₾': 'GEL',
  '₼': 'AZN',
  '₭': 'LAK',
  '₮': 'MNT',
  '₵': 'GHS',
  '৳': 'BDT',
  '៛': 'KHR',
  元: 'CNY',
  円: 'JPY',
  원: 'KRW',
  ரூ: 'LKR',
}

/** What stands before or after a dollar sign to tell whose dollar it is. */
const dollars: Readonly<Record<string, string>> = {
  us: 'USD',
  'u.s': 'USD',
  'u.s.': 'USD',
  usd: 'USD',
  a: 'AUD',
  au: 'AUD',
  aud: 'AUD',
  c: 'CAD',
  ca: 'CAD',
  can: 'CAD',
  cad: 'CAD',
  hk: 'HKD',
  hkd: 'HKD',
  nz: 'NZD',
  nzd: 'NZD',
  s: 'SGD',
  sg: 'SGD',
  sgd: 'SGD',
  r: 'BRL',
  mx: 'MXN',
  mxn: 'MXN',
  nt: 'TWD',
  ar: 'ARS',
}

export const codes =
  'USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|HRK|RSD|TRY|RUB|UAH|GEL|BRL|MXN|ARS|CLP|COP|PEN|UYU|CRC|ZAR|NGN|KES|GHS|EGP|MAD|TND|ILS|LBP|JOD|SAR|AED|QAR|KWD|BHD|OMR|SGD|HKD|TWD|KRW|THB|IDR|MYR|PHP|VND|PKR|LKR|BDT|BTC|ETH|USDC|USDT|DEM|FRF|ITL|ESP|NLG|BEF|ATS|FIM|PTE'

/** Currencies by the stem of their name; without a country the currency that the bare name stands for most often. */
const names: readonly (readonly [RegExp, string | null])[] = [
  [/^(?:dollars?|dollari|dollaro|d[oó]lar(?:es)?)$/, 'USD'],
  [/^(?:bucks?|greenbacks?)$/, 'USD'],
  [/^(?:euros?|€ur)$/, 'EUR'],
  [/^(?:pounds?|quid|pfund|livres?|libras?|sterlin[ae]|ponden?|pond|sterling)$/, 'GBP'],
  [/^(?:francs?|franken|franchi|franco|francos|frank)$/, 'CHF'],
  [/^(?:yens?|yenes|ienes?)$/, 'JPY'],
  [/^(?:yuans?|yuanes|renminbi|rmb|kuai)$/, 'CNY'],
  [/^(?:rupees?|rupien?|rupia[s]?|roupies?|roepies?|rs)$/, 'INR'],
  [/^(?:rubles?|roubles?|rubel|rublos?|rubli|rublo|roebels?)$/, 'RUB'],
  [/^won$/, 'KRW'],
  [/^(?:reais|reales)$/, 'BRL'],
  [/^(?:pesos?|peseten)$/, null],
  [/^(?:kroner|kronor|krone|kronen|krona|coronas?|coroas?|couronnes?|kronen|corone|kroon)$/, null],
  [/^(?:zloty[s]?|złotych|złote)$/, 'PLN'],
  [/^forints?$/, 'HUF'],
  [/^(?:lira[s]?|lire|lires)$/, null],
  [/^(?:shekels?|schekel|séquels?|siclos?)$/, 'ILS'],
  [/^(?:dinars?|dinar(?:es|i)?|dinare)$/, null],
  [/^(?:riyals?|rials?|riales?|rial)$/, null],
  [/^dirhams?$/, null],
  [/^ringgits?$/, 'MYR'],
  [/^bahts?$/, 'THB'],
  [/^rands?$/, 'ZAR'],
  [/^riels?$/, 'KHR'],
  [/^hryvnias?$/, 'UAH'],
  [/^(?:marks?|marcos?|marchi|marco|markka|markkaa|d-mark)$/, null],
  [/^(?:gulden|guldens|guilders?|florins?)$/, 'NLG'],
  [/^(?:pesetas?|ptas?|pts)$/, 'ESP'],
  [/^schillings?$/, null],
  [/^(?:bitcoins?)$/, 'BTC'],
  [/^(?:ethers?)$/, 'ETH'],
]

export const nameWords =
  'dollars?|dollari|dollaro|d[oó]lar(?:es)?|bucks?|greenbacks?|euros?|€ur|pounds?|quid|pfund|livres?|libras?|sterlin[ae]|sterling|pond(?:en)?|francs?|franken|franchi|francos?|frank|yenes|yens?|ienes?|yuanes|yuans?|renminbi|rmb|kuai|rupees?|rupien?|rupias?|roupies?|roepies?|rubles?|roubles?|rubel|rublos?|rubli|roebels?|won|reais|reales|pesos?|kroner|kronor|kronen?|krona|coronas?|coroas?|couronnes?|corone|kroon|zlotys?|złotych|złote|forints?|liras?|lires?|shekels?|schekel|dinars?|dinare[s]?|dinari|riyals?|rials?|riales|dirhams?|ringgits?|bahts?|rands?|riels?|hryvnias?|d-mark|marks?|marcos?|marchi|markkaa?|guldens?|guilders?|florins?|pesetas?|ptas?|pts|schillings?|bitcoins?|ethers?'

/** Hundredths, and the currency they belong to where the word tells it. */
const minors: readonly (readonly [RegExp, string | null])[] = [
  [/^(?:pence|penny|penn?ies|p)$/, 'GBP'],
  [/^(?:euro-?cents?)$/, 'EUR'],
  [/^rappen$/, 'CHF'],
  [/^(?:kopeks?|kopeken|kopecks?)$/, 'RUB'],
  [/^(?:paise|paisa)$/, 'INR'],
]
export const minorWords =
  'cents?|¢|euro-?cents?|pence|penny|penn?ies|centimes?|centesim[io]|centavos?|c[eé]ntimos?|c[eê]ntimos?|rappen|öre|øre|kopeks?|kopeken|kopecks?|paise|paisa|sens?|pfennige?|pfg'

/** Countries by the stem of their adjective or their name, with the currency of each by its common name. */
const countries: readonly (readonly [RegExp, string, string?])[] = [
  [
    /^(?:us|u\.s\.?|usa|united|am[eé]rica|am[eé]ricain|amerik|estad|statunit|american|states|unis|unidos)/,
    'USD',
  ],
  [/^(?:[ck]anad)/, 'CAD'],
  [/^a[u]s?tr[ae]l/, 'AUD'],
  [/^(?:hong|hongk)/, 'HKD'],
  [/^s[ií]ngap/, 'SGD'],
  [/^(?:new|neusee|néo|neoz|neozel|nieuw)/, 'NZD'],
  [/^ta[iï]wan/, 'TWD'],
  [/^(?:schweiz|swiss|suiss|suiz|svizz|zwits|su[ií]ç)/, 'CHF'],
  [/^(?:brit|ster|esterl|engl|ingl)/, 'GBP'],
  [/^fin/, 'FIM'],
  [/^(?:deutsch|german|alem|allem|tedesc|duits)/, 'DEM'],
  [/^(?:[jg]ia?p+o?n|japan|japon|jap[oó]n|giappon)/, 'JPY'],
  [/^(?:chin|cin)/, 'CNY'],
  [/^(?:m[eé][xj]i[ck]|messic)/, 'MXN'],
  [/^bra[sz]/, 'BRL'],
  [/^argent/, 'ARS'],
  [/^(?:chil|cil)/, 'CLP'],
  [/^[ck]olomb/, 'COP'],
  [/^(?:[kc]uwa|kuweit)/, 'KWD'],
  [/^liban|^leban/, 'LBP'],
  [/^(?:egypt|egipt|égypt|ägypt|egizi)/, 'EGP'],
  [/^saud/, 'SAR'],
  [/^[qk]atar/, 'QAR'],
  [/^mala[iy]/, 'MYR'],
  [/^indon/, 'IDR'],
  [/^(?:indi|inder)/, 'INR'],
  [/^pa[k]ist/, 'PKR'],
  [/^(?:nor[vwu]|noor)/, 'NOK'],
  [/^(?:swed|schwed|su[eé]d|sue[cc]|svez|sved|zweed)/, 'SEK'],
  [/^(?:dän|dan|deen|dinam)/, 'DKK'],
  [/^(?:czech|tschech|chec|tch|cec|tsjech)/, 'CZK'],
  [/^(?:israel|israël)/, 'ILS'],
  [/^(?:t[uü]r[kcq])/, 'TRY'],
  [/^(?:fran[cçz]|französ)/, 'FRF'],
  [/^(?:belg)/, 'BEF'],
  [/^(?:ital)/, 'ITL'],
  [/^(?:nether|niederl|holl|neerl)/, 'NLG'],
  [/^(?:[kc]ambo|kambo|camboy)/, 'KHR'],
  [/^(?:südafr|south|sud|zuid)/, 'ZAR'],
  [/^(?:filip|phili)/, 'PHP'],
  [/^(?:russ|rus)/, 'RUB'],
]

export const countryWords =
  'u\\.s\\.?|us|usa|united states|am[eé]ricain[es]{0,2}|americanos?|americani|american|amerikanischen?r?|amerikaanse|us-|estad(?:o)?unidenses?|statunitens[ei]|[ck]anad[\\p{L}]{2,8}|austral[\\p{L}]{2,9}|hong ?kong|singap[\\p{L}]{2,9}|new zealand|neuseel[\\p{L}]{3,9}|néo-zélandais|nieuw-zeelandse|ta[iï]wan[\\p{L}]{0,6}|schweizer(?:ischen?r?)?|swiss|suisses?|suizos?|svizzeri|zwitserse|suíços?|british|britische[nr]?|britanniques?|britse|esterlinas?|sterling|finnische[nr]?|finnish|finlandais|finlandeses|finlandesi|finse|finlandês|finlandés|deutsche|german|alemanes|japanische[nr]?|japanese|japonais|japonese[s]?|japanse|chinesische[nr]?|chinese|chinois|chinos?|cinesi|chinês|mexican[\\p{L}]{0,2}|mexikanische[nr]?|mejicanos|messicani|mexicains?|brasil[\\p{L}]{2,8}|brazilian|argentin[\\p{L}]{0,4}|chilen[\\p{L}]{0,4}|colombian[\\p{L}]{0,2}|kuwaiti?|lebanese|egyptian|saudi|qatari|malaysian?|indonesian|indian|indische[nr]?|pakistani|norwegian|norwegische[nr]?|norvégiennes|noorse|noruegas|swedish|schwedische[nr]?|suédoises|zweedse|suecas|danish|dänische[nr]?|deense|danoises|danesas|czech|tschechische[nr]?|israeli|turkish|türkische[nr]?|french|französische[nr]?|français|franceses|belgische[nr]?|belges?|italienische[nr]?|italian[eio]?|dutch|hollandse|nederlandse|kambodschanische[nr]?|cambodian|camboyanos|südafrikanische[nr]?|south african|sudafricanos|philippine|russian|russische[nr]?|russes|rusos|russos'

const findCountryCurrency = (country: string): string | undefined =>
  countries.find(([stem]) => stem.test(country))?.[1]

const isCode = new RegExp(`^(?:${codes})$`)
const isMinorWord = new RegExp(`^(?:${minorWords})$`, 'u')

/** Nouns that name another currency in each country. */
const byCountry =
  /^(?:dollar|d[oó]lar|peso|pound|pfund|livre|libra|franc|franken|frank|franchi|franco|rupee|rupi|roup|roep|krone|krona|kron|coron|corone|coroa|couronne|kroon|dinar|riyal|rial|lira|lire|mark|marco|marchi|yuan|yen|real|reais|rand|riel|ringgit|shekel|won)/

export type Currency = { code: string | null; minor: boolean }

/**
 * The currency that is written as `word`, with the country beside it if any. `code` is null where the name alone stands for
 * several, and `minor` tells of hundredths.
 */
export const readCurrency = (word: string, country?: string): Currency => {
  const plain = word.toLowerCase().trim()
  const place = country?.toLowerCase().trim()
  if (word in signs && !(word === '$' && place)) return { code: signs[word] ?? null, minor: false }
  if (plain === '$') return { code: dollars[place ?? ''] ?? 'USD', minor: false }
  if (isCode.test(word.toUpperCase())) return { code: word.toUpperCase(), minor: false }
  const minor = isMinorWord.test(plain) || plain === 'c' || plain === 'p'
  if (minor) return { code: minors.find(([pattern]) => pattern.test(plain))?.[1] ?? null, minor }
  const own = place && byCountry.test(plain) ? findCountryCurrency(place) : undefined
  if (own) return { code: own, minor: false }
  if (plain === 'rm') return { code: 'MYR', minor: false }
  if (plain === 'zł') return { code: 'PLN', minor: false }
  if (plain === 'kč') return { code: 'CZK', minor: false }
  if (plain === 'fr.') return { code: 'CHF', minor: false }
  if (/^rs\.?$/.test(plain)) return { code: 'INR', minor: false }
  return { code: names.find(([pattern]) => pattern.test(plain))?.[1] ?? null, minor: false }
}

/** Currencies whose users write the decimals after a point, whatever the language of the text. */
export const dotIsDecimal = new Set([
  'USD',
  'GBP',
  'JPY',
  'CNY',
  'INR',
  'AUD',
  'CAD',
  'NZD',
  'HKD',
  'SGD',
  'MXN',
  'ILS',
  'KRW',
  'THB',
  'MYR',
  'PHP',
  'KES',
  'NGN',
  'TWD',
])

/** Coins that are counted in small fractions, so that three decimals are as likely as thousands. */
export const isCoin = (code: string | null): boolean => code !== null && ['BTC', 'ETH'].includes(code)
