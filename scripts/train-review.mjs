// Trains the classifiers of `review` and writes their weights: on the labelled sets,
// and on the guides of half of the installed packages, which the lock file pins. The same sets and packages give the same bytes.
//   npm run build && node scripts/train-review.mjs
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('..', import.meta.url)
const sets = new URL('test/services/proof/review/sets/', root)
const asset = new URL('mcp/services/proof/review/classify/weights.bin', root)

/** Sets that nothing is learned from. */
const isHeldOut = name => /^(?:unseen|held-out)/.test(name)

const names = readdirSync(sets)
  .map(file => file.replace('.jsonl', ''))
  .sort()

export const trainingSets = names.filter(name => !isHeldOut(name))
export const heldOutSets = names.filter(isHeldOut)

export const readSet = name =>
  readFileSync(new URL(`${name}.jsonl`, sets), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

const longestGuide = 20_000

/**
 * The guides of the packages that every machine installs: half of them is learned from as harmless, the other half is held out. Their texts
 * stay where they are.
 */
export const readGuides = isHeldOut => {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
  return Object.entries(packages).flatMap(([folder, { optional, devOptional, link }]) => {
    const half = createHash('sha256').update(folder).digest()[0] & 1
    const file = new URL(`${folder}/README.md`, root)
    if (!/^node_modules\//.test(folder) || optional || devOptional || link) return []
    if ((half === 1) !== isHeldOut || !existsSync(file)) return []
    const artifact = readFileSync(file, 'utf8').slice(0, longestGuide)
    return [{ bad: false, type: 'analysis', set: 'guides', artifact }]
  })
}

/** What is weighed by its structure; every other type is prose. */
const kinds = { shell_command: 'commands', config_change: 'settings', code_diff: 'changes', patch: 'changes' }

export const kindOf = type => kinds[type] ?? 'prose'

/**
 * Each classifier: its buckets, the power of rarity by which its features count, and the score above which it is a concern. Powers and
 * thresholds were chosen by training without the validation sets and looking at those, and at rows of their ordinary texts.
 */
export const subjects = [
  { subject: 'topic', buckets: 1 << 17, power: 1.5, threshold: 0.1 },
  { subject: 'sentences', buckets: 1 << 18, power: 0, threshold: 0.3 },
  { subject: 'wording', buckets: 1 << 19, power: 1, threshold: 0.05 },
  { subject: 'commands', buckets: 1 << 15, power: 1, threshold: 0.4 },
  { subject: 'changes', buckets: 1 << 15, power: 1, threshold: 0.13 },
  { subject: 'settings', buckets: 1 << 15, power: 1, threshold: 0.2 },
]

/** Labelled sets, each by another author, that a training to choose powers and thresholds leaves out. */
export const validationSets = new Set(
  'analyses-2 general mixed-3 screenings-3 twelfth eighth plans-2 trades-2 diffs-3 settings-2'.split(' '),
)

const biasValue = 1
const passes = 12
const cost = 1

/** A row of a sample: buckets of all its parts, with the value of each. */
const toSample = (parts, isBad, offset = 0) => {
  const columns = Int32Array.from(parts.flat())
  const values = Float32Array.from(parts.flatMap(part => part.map(() => 1 / Math.sqrt(part.length || 1))))
  return { columns, values, offset, sign: isBad ? 1 : -1 }
}

/** Order in which samples are visited in a pass, the same in each training. */
const shuffle = (order, random) => {
  for (let last = order.length - 1; last > 0; last--) {
    const other = random() % (last + 1)
    ;[order[last], order[other]] = [order[other], order[last]]
  }
}

const createRandom = () => {
  let state = 7
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 4
  }
}

/**
 * What each bucket is worth: the rarer, the more, so that words that stand everywhere decide little. It becomes part of the weights, and
 * nothing is looked up when a text is weighed.
 */
const rarityOf = (samples, buckets, power) => {
  const counts = new Float64Array(buckets)
  for (const { columns } of samples) for (const column of columns) counts[column]++
  const rarity = counts.map(count =>
    count === 0 ? 0 : (Math.log((samples.length + 1) / (count + 1)) + 1) ** power,
  )
  const found = rarity.filter(value => value > 0)
  const mean = found.reduce((sum, value) => sum + value, 0) / (found.length || 1)
  return rarity.map(value => value / mean)
}

/** Support vector machine with squared hinge loss, by dual coordinate descent (Hsieh et al., 2008). */
const solve = (samples, buckets, power = 0) => {
  const rarity = rarityOf(samples, buckets, power)
  const scaled = samples.map(sample => {
    const values = sample.values.map((value, at) => value * rarity[sample.columns[at]])
    return { ...sample, values, norm: values.reduce((sum, value) => sum + value * value, biasValue ** 2) }
  })
  const weights = new Float64Array(buckets)
  const multipliers = new Float64Array(samples.length)
  const softness = 1 / (2 * cost)
  const order = samples.map((_, nth) => nth)
  const random = createRandom()
  let bias = 0
  for (let pass = 0; pass < passes; pass++) {
    shuffle(order, random)
    for (const nth of order) {
      const { columns, values, norm, offset, sign } = scaled[nth]
      let score = bias * biasValue + offset
      for (let at = 0; at < columns.length; at++) score += weights[columns[at]] * values[at]
      const before = multipliers[nth]
      const slope = sign * score - 1 + softness * before
      const after = Math.max(0, before - slope / (norm + softness))
      const change = (after - before) * sign
      if (change === 0) continue
      multipliers[nth] = after
      bias += change * biasValue
      for (let at = 0; at < columns.length; at++) weights[columns[at]] += change * values[at]
    }
  }
  return {
    weights: weights.map((weight, column) => weight * rarity[column]),
    bias: bias * biasValue,
    scale: 1,
    buckets,
  }
}

/** The runs that score highest, none within another's reach. */
const topRuns = (runs, score, count) => {
  const found = []
  const scored = runs.map(([first, end]) => ({ first, end, score: score(first, end) }))
  for (const run of scored.sort((a, b) => b.score - a.score || a.first - b.first || a.end - b.end)) {
    if (found.length === count) break
    if (found.every(({ first, end }) => run.end <= first || run.first >= end)) found.push(run)
  }
  return found
}

const rounds = 3
const hardest = 6
const [mostWords, firstWords] = [1200, 200]

/**
 * Learns from texts that are labelled as a whole what runs of clauses tell (multiple-instance learning): the worst run of a bad text is bad,
 * and no run of a harmless one is. Each round looks for the worst runs with the weights of the round before.
 */
const solveRuns = (texts, classify, buckets) => {
  const { splitClauses, visitRuns, runScorer, runBuckets, runOffset } = classify
  const listRuns = words => {
    const runs = []
    visitRuns(words, (first, end) => runs.push([first, end]))
    return runs
  }
  const bags = texts
    .map(({ artifact, bad }) => ({ bad, words: splitClauses(artifact).slice(0, mostWords) }))
    .map(bag => ({ ...bag, runs: listRuns(bag.words), harmless: new Map() }))
    .filter(({ runs }) => runs.length > 0)
  const sample = ({ words, bad }, first, end) => {
    const found = runBuckets(words, first, end, buckets)
    return toSample([found], bad, runOffset(found.length))
  }
  let model = solve(
    bags.map(bag => sample(bag, 0, Math.min(bag.words.length, firstWords))),
    buckets,
  )
  for (let round = 0; round < rounds; round++) {
    const samples = bags.flatMap(bag => {
      const score = runScorer(model, bag.words)
      const found = topRuns(bag.runs, score, bag.bad ? 1 : hardest)
      if (bag.bad) return found.map(({ first, end }) => sample(bag, first, end))
      for (const { first, end } of found) {
        const key = `${first} ${end}`
        if (!bag.harmless.has(key)) bag.harmless.set(key, sample(bag, first, end))
      }
      return [...bag.harmless.values()]
    })
    model = solve(samples, buckets)
  }
  return model
}

const joined = 10

/** Texts one after another, for a long text of many subjects is no danger. */
const joinInOrder = texts => {
  const harmless = texts.filter(({ bad }) => !bad)
  return Array.from({ length: Math.floor(harmless.length / joined) }, (_, nth) =>
    toJoined(harmless.slice(nth * joined, (nth + 1) * joined), '\n'),
  )
}

const toJoined = (texts, mark) => ({ bad: false, artifact: texts.map(({ artifact }) => artifact).join(mark) })

/** Harmless texts drawn at random, so many at a time. */
const joinDrawn = (texts, size, count) => {
  const random = createRandom()
  const draw = () => texts[random() % texts.length]
  return texts.length === 0
    ? []
    : Array.from({ length: count }, (_, nth) =>
        toJoined(Array.from({ length: size }, draw), nth % 2 ? ' ' : '\n'),
      )
}

const isShortProse = ({ type, artifact }) =>
  type === 'general' && artifact.length < 700 && /[.!?]$/.test(artifact)

/** Rows of ordinary texts: what nobody objects to one by one is no danger in a row either. */
const ordinaryRows = harmless => {
  const ordinary = harmless.filter(isShortProse)
  const everyday = ordinary.filter(({ set }) => set === 'sentences')
  return [
    ...joinDrawn(ordinary, joined, ordinary.length >> 3),
    ...joinDrawn(everyday, joined, everyday.length >> 2),
    ...joinDrawn(everyday, 2 * joined, everyday.length >> 3),
  ]
}

/** Ordinary texts: nobody would have them reviewed. */
const ordinarySets = new Set(['background', 'office', 'guides'])
const isOrdinary = ({ set }) => ordinarySets.has(set)

const mostSentences = 60

/** Learns to tell sentences of what is reviewed, good or bad, from those of ordinary texts. */
const solveTopic = (texts, { splitClauses, splitSentences, runBuckets }, buckets, power) =>
  solve(
    texts
      .filter(({ set }) => set !== 'sentences')
      .flatMap(text => {
        const words = splitClauses(text.artifact)
        return splitSentences(text.artifact, words)
          .filter(({ first, end }) => end - first > 1)
          .slice(0, mostSentences)
          .map(({ first, end }) => toSample([runBuckets(words, first, end, buckets)], !isOrdinary(text)))
      }),
    buckets,
    power,
  )

const solveSubject = ({ subject, power }, buckets, texts, classify, topic) => {
  if (subject === 'topic') return solveTopic(texts, classify, buckets, power)
  const harmless = texts.filter(({ bad }) => !bad)
  if (subject === 'sentences')
    return solveRuns(
      [...texts, ...ordinaryRows(harmless), ...joinDrawn(harmless, 3, harmless.length >> 5)],
      classify,
      buckets,
    )
  const isWhole = subject === 'wording'
  const passage = text => classify.topicalPassage(topic, text, classify.splitClauses(text)).text
  const featuresOf = ({ artifact }) =>
    isWhole
      ? classify.textFeatures(passage(artifact), buckets).parts
      : classify.artifactFeatures(subject, artifact, buckets)
  // Single sentences tell nothing of wholes: only rows of ordinary ones do.
  const wholes = texts.filter(({ set }) => set !== 'sentences')
  const all = isWhole ? [...wholes, ...joinInOrder(wholes), ...ordinaryRows(harmless)] : texts
  return solve(
    all.map(text => toSample(featuresOf(text), text.bad)),
    buckets,
    power,
  )
}

/** The asset: the length of its head, its head, and the weights as bytes. `shrink` makes fewer buckets of each, for a test. */
export const train = (texts, classify, shrink = 0) => {
  let topic
  const trained = subjects.map(each => {
    const { subject, buckets: whole, threshold } = each
    const buckets = whole >> shrink
    const kind = ['topic', 'sentences', 'wording'].includes(subject) ? 'prose' : subject
    const ofKind = texts.filter(({ type }) => kindOf(type) === kind)
    const { weights, bias } = solveSubject(each, buckets, ofKind, classify, topic)
    if (subject === 'topic') topic = { weights, bias, scale: 1, buckets, threshold }
    const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / 127
    const bytes = Int8Array.from(weights, weight => Math.round(weight / scale))
    return { bytes, figures: { subject, buckets, scale, bias, threshold } }
  })
  const bytes = Buffer.concat(trained.map(({ bytes }) => Buffer.from(bytes.buffer)))
  const head = Buffer.from(
    JSON.stringify({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      classifiers: trained.map(({ figures }) => figures),
    }),
  )
  const size = Buffer.alloc(4)
  size.writeUInt32LE(head.length)
  return Buffer.concat([size, head, bytes])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const from = new URL('dist/mcp/services/proof/review/classify/', root)
  const files = ['features', 'artifacts', 'sentences', 'topic']
  const classify = Object.assign(
    {},
    ...(await Promise.all(files.map(file => import(new URL(`${file}.js`, from))))),
  )
  writeFileSync(
    asset,
    train(
      [...trainingSets.flatMap(set => readSet(set).map(text => ({ ...text, set }))), ...readGuides(false)],
      classify,
    ),
  )
}
