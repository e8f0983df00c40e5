/** How often something happened in a number of like cases or periods, with where that can be looked up. */
export type ReferenceClass = {
  readonly id: string
  readonly title: string
  readonly events: number
  readonly n: number
  /** Length of the period that was counted by; null where each case was looked at once, whatever its length. */
  readonly periodDays: number | null
  readonly source: string
  readonly url: string
  readonly licence: string
  /** A question is of this class when all of these occur in it. */
  readonly words: readonly RegExp[]
}

const year = 365.25
const facts = 'facts, no copyright'
const publicDomain = 'US government, public domain'

/**
 * Counts that anybody can repeat from the source. A class is added with its n, its source and its licence; never with a rate alone.
 */
export const classes: readonly ReferenceClass[] = [
  {
    id: 'us-recession-start',
    title:
      'A recession of the United States begins in a year, 1946 to 2023 (1948, 53, 57, 60, 69, 73, 80, 81, 90, 2001, 07, 20)',
    events: 12,
    n: 78,
    periodDays: year,
    source: 'NBER Business Cycle Dating Committee',
    url: 'https://www.nber.org/research/data/us-business-cycle-expansions-and-contractions',
    licence: facts,
    words: [/\brecession\b/i, /\b(?:us|u\.s\.|usa|united states|america[n]?)\b/i],
  },
  {
    id: 'us-president-leaves-early',
    title:
      'A president of the United States dies in office or resigns within a year, 1790 to 2023 (8 deaths, 1 resignation)',
    events: 9,
    n: 234,
    periodDays: year,
    source: 'List of presidents of the United States, White House Historical Association',
    url: 'https://www.whitehousehistory.org/the-presidents-timeline',
    licence: facts,
    words: [
      /\b(?:us|u\.s\.|united states|american)\b/i,
      /\bpresident\b/i,
      /\b(?:resign|leave office|cease to be|step down)/i,
    ],
  },
  {
    id: 'us-incumbent-reelection',
    title: 'A president of the United States who stands again is re-elected, 1948 to 2020',
    events: 8,
    n: 12,
    periodDays: null,
    source: 'US National Archives, Electoral College results',
    url: 'https://www.archives.gov/electoral-college/results',
    licence: publicDomain,
    words: [/\b(?:us|u\.s\.|united states|american)\b/i, /\bpresident/i, /\bre-?elect/i],
  },
  {
    id: 'us-president-party-midterm-loss',
    title:
      "The president's party loses seats of the House in a midterm election, 1946 to 2022 (all but 1998 and 2002)",
    events: 18,
    n: 20,
    periodDays: null,
    source: 'US House of Representatives, Office of the Historian',
    url: 'https://history.house.gov/Institution/Party-Divisions/Party-Divisions/',
    licence: publicDomain,
    words: [/\bmidterm/i, /\blose\b/i, /\bseats?\b/i],
  },
  {
    id: 'us-white-house-party-holds',
    title: 'The party in the White House wins the presidential election, 1948 to 2024',
    events: 9,
    n: 20,
    periodDays: null,
    source: 'US National Archives, Electoral College results',
    url: 'https://www.archives.gov/electoral-college/results',
    licence: publicDomain,
    words: [
      /\b(?:incumbent|ruling|governing) party\b/i,
      /\bpresidential election\b/i,
      /\b(?:us|u\.s\.|united states|american)\b/i,
    ],
  },
  {
    id: 'us-constitutional-amendment',
    title:
      'An amendment of the US constitution is ratified in a year, 1950 to 2023 (1951, 61, 64, 67, 71, 92)',
    events: 6,
    n: 74,
    periodDays: year,
    source: 'US National Archives, Amendments 11-27',
    url: 'https://www.archives.gov/founding-docs/amendments-11-27',
    licence: publicDomain,
    words: [/\bamendment\b/i, /\bratifi/i, /\b(?:us|u\.s\.|united states|constitution)/i],
  },
  {
    id: 'sp500-up-year',
    title: 'The S&P 500 returns more than nothing with dividends in a calendar year, 1928 to 2023',
    events: 70,
    n: 96,
    periodDays: null,
    source: 'A. Damodaran, Historical returns on stocks, bonds and bills',
    url: 'https://pages.stern.nyu.edu/~adamodar/New_Home_Page/datafile/histretSP.html',
    licence: facts,
    words: [/\b(?:s&p ?500|s&p|spx)\b/i, /\b(?:positive|up|gain|higher|rise)\b/i],
  },
  {
    id: 'earthquake-m8',
    title: 'An earthquake of magnitude 8 or more anywhere in a year, 2000 to 2021',
    events: 18,
    n: 22,
    periodDays: year,
    source: 'USGS, Earthquake statistics',
    url: 'https://www.usgs.gov/programs/earthquake-hazards/lists-maps-and-statistics',
    licence: publicDomain,
    words: [/\bearthquake\b/i, /\b(?:magnitude|m)\s*(?:of\s*)?(?:at least\s*)?8(?:\.0)?\b/i],
  },
  {
    id: 'us-category-5-landfall',
    title:
      'A hurricane of category 5 makes landfall in the continental United States in a season, 1900 to 2023 (1935, 69, 92, 2018)',
    events: 4,
    n: 124,
    periodDays: year,
    source: 'NOAA, Continental United States hurricane impacts and landfalls',
    url: 'https://www.aoml.noaa.gov/hrd/hurdat/All_U.S._Hurricanes.html',
    licence: publicDomain,
    words: [/\bhurricane\b/i, /\bcategory 5\b/i, /\b(?:landfall|hit|strike)/i],
  },
  {
    id: 'papacy-ends',
    title: 'A papacy ends in a year, 1801 to 2025 (15 years in which one did)',
    events: 15,
    n: 225,
    periodDays: year,
    source: 'List of popes, Annuario Pontificio',
    url: 'https://www.vatican.va/content/vatican/en/holy-father.html',
    licence: facts,
    words: [/\b(?:pope|papacy|conclave)\b/i],
  },
  {
    id: 'un-new-member',
    title: 'The United Nations admit a member in a year, 2000 to 2023 (2000, 02, 06, 11)',
    events: 4,
    n: 24,
    periodDays: year,
    source: 'United Nations, Growth in membership',
    url: 'https://www.un.org/en/about-us/growth-in-un-membership',
    licence: facts,
    words: [/\b(?:united nations|un)\b/i, /\b(?:admit|new member|join|member state)/i],
  },
  {
    id: 'world-cup-host-wins',
    title: "The host wins the men's football World Cup, 1930 to 2022 (1930, 34, 66, 74, 78, 98)",
    events: 6,
    n: 22,
    periodDays: null,
    source: 'FIFA, World Cup archive',
    url: 'https://www.fifa.com/en/tournaments/mens/worldcup',
    licence: facts,
    words: [/\bworld cup\b/i, /\bhosts?\b/i, /\bwin\b/i],
  },
]

/**
 * The class of a question of which nothing else is known: questions of prediction markets and tournaments that had closed, of mixed
 * length, which is why it is not scaled with time.
 */
export const anyQuestion: ReferenceClass = {
  id: 'market-question',
  title: 'A question of a prediction market or forecasting tournament comes true (uncensored, mixed length)',
  events: 238,
  n: 1016,
  periodDays: null,
  source: 'ForecastBench, resolved market questions, our count',
  url: 'https://github.com/forecastingresearch/forecastbench-datasets',
  licence: 'CC BY-SA 4.0',
  words: [],
}

/** The classes of a question, the closest first; at least the one of all questions. */
export const matchClasses = (text: string): readonly [ReferenceClass, ...ReferenceClass[]] => {
  const matches = classes
    .filter(({ words }) => words.every(word => word.test(text)))
    .sort((one, other) => other.words.length - one.words.length)
  const [first, ...more] = matches
  return first ? [first, ...more, anyQuestion] : [anyQuestion]
}
