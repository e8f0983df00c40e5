/** Verbs that mean the same in a request, by the one that names of operations use. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  get: [
    'show',
    'see',
    'view',
    'read',
    'fetch',
    'display',
    'give',
    'find',
    'check',
    'tell',
    'look',
    'retrieve',
    'load',
  ],
  list: ['show', 'see', 'view', 'browse', 'get', 'display', 'give', 'fetch', 'enumerate', 'find'],
  search: ['find', 'look', 'browse'],
  preview: ['show', 'see', 'view', 'look'],
  browse: ['show', 'see', 'view', 'read', 'list', 'look'],
  read: ['show', 'get', 'view', 'see', 'fetch', 'open'],
  lookup: ['look', 'find', 'show', 'get', 'check', 'query'],
  check: ['verify', 'test', 'inspect', 'validate', 'show', 'see'],
  verify: ['check', 'validate', 'confirm'],
  validate: ['check', 'verify', 'test'],
  discover: ['find', 'search', 'look'],
  publish: ['post', 'create', 'announce'],
  post: ['publish', 'create', 'list', 'write'],
  create: ['make', 'open', 'set', 'build'],
  make: ['create', 'place', 'send', 'submit'],
  register: ['sign', 'join', 'create', 'enrol', 'enroll', 'add'],
  join: ['register', 'enrol', 'enroll', 'become'],
  open: ['start', 'begin', 'create', 'raise', 'file'],
  close: ['end', 'finish', 'shut'],
  cancel: ['call', 'drop', 'stop'],
  withdraw: ['retract', 'take', 'remove', 'pull', 'cash'],
  delete: ['remove', 'erase', 'drop'],
  update: ['change', 'edit', 'modify', 'amend'],
  set: ['change', 'update', 'put'],
  rotate: ['renew', 'replace', 'change'],
  approve: ['accept', 'confirm'],
  accept: ['approve', 'take', 'agree'],
  reject: ['decline', 'refuse', 'deny'],
  release: ['pay', 'send'],
  resolve: ['settle', 'decide'],
  submit: ['hand', 'send', 'deliver', 'turn', 'enter'],
  upload: ['add', 'attach'],
  download: ['fetch', 'get'],
  apply: ['volunteer', 'ask'],
  assign: ['give', 'hire', 'choose'],
  rate: ['review', 'score', 'grade'],
  send: ['pay', 'give', 'transfer'],
  pay: ['send', 'transfer', 'settle'],
  deposit: ['add', 'fund', 'pay', 'put'],
  add: ['buy', 'put', 'top'],
  store: ['save', 'remember', 'keep', 'put'],
  mark: ['flag', 'set'],
  block: ['ban', 'stop'],
  abandon: ['drop', 'leave', 'quit'],
  reclaim: ['recover', 'take', 'get'],
  claim: ['report', 'count'],
  start: ['begin'],
  ask: ['put', 'pose'],
  answer: ['reply', 'respond'],
  request: ['ask', 'demand'],
  calculate: ['compute', 'work', 'estimate'],
  wait: ['poll', 'listen', 'watch'],
  finalize: ['complete', 'conclude', 'seal'],
  attest: ['sign', 'certify'],
  buy: ['purchase', 'order', 'get'],
  purchase: ['buy', 'order', 'get'],
  prove: ['certify', 'notarize', 'attest'],
  review: ['check', 'inspect', 'judge', 'assess', 'audit'],
  audit: ['check', 'inspect', 'review', 'examine'],
  quote: ['price', 'estimate'],
  reveal: ['disclose', 'open'],
  fulfill: ['deliver', 'complete'],
}

/** Verbs that ask to see something, whatever the operation is called. */
const asking = new Set(
  'show get see view read fetch display give find check tell look run do perform query retrieve what which how who when where is are does has have analyze analyse inspect explain compute calculate try use call start test'.split(
    ' ',
  ),
)

const stopWords = new Set(
  "a an the my our your me us i we you it its this that these those all any some every please now just for of in on at to from by with about into and or is are was be been do does did can could would will shall should may might want wants like need needs let lets hey hi hello there here what which how who when where whose that's what's id ids named called number no current currently new one ones have has had if as not there's out up off down over me many much back away until while whether became become".split(
    ' ',
  ),
)

/** The word as its other forms have it: plural, past, `-ing`. */
export const stem = (word: string): string => {
  const lower = word.toLowerCase().replace(/['’]s$/u, '')
  if (/^(?:mine|my|yours?|own)$/.test(lower)) return 'my'
  if (lower.length < 4) return lower
  return lower
    .replace(/ies$/, 'y')
    .replace(/(ss|us|is)$/, '$1\u0000')
    .replace(/(?:ations?|ing|ed|es|e|s)$/, '')
    .replace('\u0000', '')
}

export const isStopWord = (word: string): boolean => stopWords.has(word)

export const isKnownVerb = (word: string): boolean => Object.hasOwn(verbs, word)

/** True when a sentence that begins with `word` may ask for an operation whose name begins with `verb`. */
export const isVerbFor = (word: string, verb: string): boolean =>
  word === verb || stem(word) === stem(verb) || (verbs[verb] ?? []).includes(word)

/** True for operations that show something, by the verb of their name, so that any word for seeing asks for them. */
export const isReading = (verb: string): boolean =>
  /^(?:get|list|search|browse|read|lookup|check|verify|discover|calculate|quote|preview)$/.test(verb)

/** True for a word that asks to see something. */
export const isAsking = (word: string): boolean => asking.has(word)
