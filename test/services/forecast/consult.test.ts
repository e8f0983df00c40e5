import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pool } from '../../../mcp/lib/log-odds.ts'
import { estimate, type Inputs } from '../../../mcp/services/forecast/consult/decide.ts'
import { findDeadline, readLevel, readQuestion } from '../../../mcp/services/forecast/consult/question.ts'
import { commitTo } from '../../../mcp/services/forecast/record/entry.ts'
import { openRandom } from '../../../mcp/services/forecast/scoring.ts'
import { buy, offerFor } from './buy.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

const now = new Date('2026-01-10T12:00:00.000Z')

describe('deadlines', () => {
  test.each([
    ['by 2026-12-31', '2027-01-01'],
    ['before 2026-12-31', '2026-12-31'],
    ['by 31 December 2026', '2027-01-01'],
    ['by December 31st, 2026', '2027-01-01'],
    ['in March 2026', '2026-04-01'],
    ['before March 2026', '2026-03-01'],
    ['by Q3 2026', '2026-10-01'],
    ['in 2027', '2028-01-01'],
    ['before 2027', '2027-01-01'],
    ['by the end of 2026', '2027-01-01'],
    ['within 30 days', '2026-02-09'],
    ['this year', '2027-01-01'],
    ['between 1 May 2026 and 2 May 2026', '2026-05-03'],
  ])('%s closes on %s', (text, day) => {
    expect(findDeadline(`Will it happen ${text}?`, now)?.at.toISOString().slice(0, 10)).toBe(day)
  })

  test.each(['Will it happen?', 'Will 2500 people come?', 'Will it be 30 February 2026?'])(
    '%s has none',
    text => {
      expect(findDeadline(text, now)).toBeUndefined()
    },
  )
})

const refused = (question: string, closes_at?: string) => {
  try {
    readQuestion({ question, closes_at }, now)
    return undefined
  } catch (error) {
    const { extra } = error as { extra: { reason: string; issues: { path: string }[] } }
    return `${extra.issues[0]?.path}: ${extra.reason}`
  }
}

test.each([
  ['What will happen by 2027?', 'question: not_binary'],
  ['Will it rain by 2027? Will it snow?', 'question: two_questions'],
  ['Will it rain and will it snow by 2027?', 'question: two_questions'],
  ['Will it rain by 2027 and how many people will come?', 'question: two_questions'],
  ['Will it rain in May 2026, and by how much?', 'question: two_questions'],
  ['Will the bank cut rates by 2027, and if so, on which day?', 'question: two_questions'],
  ['Will rates fall by 2027; how far will they go?', 'question: two_questions'],
  ['Will rates fall by 2027; will they rise again?', 'question: two_questions'],
  ['Will rates fall by 2027, and when?', 'question: two_questions'],
  ['Will rates fall by 2027 & how many will notice?', 'question: two_questions'],
  ['?????????? by 2027', 'question: empty'],
  ['Will it happen by December 2026?', 'question: empty'],
  ['Is there anything that would happen in March 2026?', 'question: empty'],
  ['Will the mayor be assassinated by 2027?', 'question: unsafe'],
  ['Will somebody build a small bomb by 2027?', 'question: unsafe'],
  ['Will it rain?', 'closes_at: no_date'],
  ['Will it rain by 2025-01-01?', 'closes_at: over'],
  ['Will it rain by 2999-01-01?', 'closes_at: too_far'],
])('%s is refused: %s', (question, reason) => {
  expect(refused(question)).toBe(reason)
})

test('questions that may be asked are not refused', () => {
  for (const question of [
    'Will the US and the EU sign a treaty by 2027?',
    'Will the bill be killed in committee by 2028?'.replace('be killed', 'fail'),
    'Will rain or snow fall in Rome by June 2026?',
    'If inflation does not rise, will the bank cut rates by June 2026?',
    'Will the party that governs, and which has lost two votes, win in 2027?'.replace(
      ', and which',
      ' which',
    ),
    'Will the law on banks, insurers and funds pass by 2027?',
  ])
    expect(refused(question)).toBeUndefined()
  expect(refused('Will it rain?', '2026-05-01')).toBeUndefined()
})

test('log-odds pool by their weights', () => {
  const voices = [
    { probability: 0.2, weight: 1 },
    { probability: 0.8, weight: 1 },
  ]
  expect(pool(voices)).toBeCloseTo(0.5, 12)
  expect(pool([{ probability: 0.3, weight: 2 }])).toBeCloseTo(0.3, 12)
})

describe('coherence, by random questions', () => {
  const random = openRandom(17)
  const pick = <item>(items: readonly item[]) => items[Math.floor(random() * items.length)] as item
  const chance = () => 0.02 + 0.96 * random()
  const subjects = [
    ['a recession begin in the United States', 'a recession not begin in the United States'],
    ['an earthquake of magnitude 8 occur', 'an earthquake of magnitude 8 not occur'],
    ['the bridge be opened', 'the bridge not be opened'],
    ['the papacy end', 'the papacy not end'],
  ] as const
  const drawInputs = (): Inputs => ({
    form:
      random() < 0.3
        ? { kind: 'price', market_price: chance() }
        : { kind: 'event', events: Math.floor(9 * random()), n: 20, period_days: 90 },
    ...(random() < 0.5 && { priors: [{ probability: chance(), weight: 0.5 + random() }] }),
    ...(random() < 0.5 && { evidence: [{ text: 'seen', likelihood_ratio: Math.exp(4 * random() - 2) }] }),
    ...(random() < 0.3 && { model: { probability: chance(), views: 4, slope: 0.5 + random() } }),
  })
  /** What is said of the question as it is asked, turned around; a form is of the event. */
  const turn = ({ form, priors, evidence, model }: Inputs): Inputs => ({
    form: form?.kind === 'price' ? { ...form, market_price: 1 - form.market_price } : form,
    priors: priors?.map(prior => ({ ...prior, probability: 1 - prior.probability })),
    evidence: evidence?.map(item => ({ ...item, likelihood_ratio: 1 / item.likelihood_ratio })),
    model,
  })
  const ask = (subject: string, days: number, inputs: Inputs) =>
    estimate(
      readQuestion(
        {
          question: `Will ${subject}?`,
          closes_at: new Date(now.getTime() + days * 86_400_000).toISOString(),
        },
        now,
      ),
      inputs,
      { domain: 'general' },
    ).probability

  /** Every form, with random numbers. */
  const drawForm = (): NonNullable<Inputs['form']> => {
    const series = Array.from(
      { length: 40 },
      (_, n) => n * (random() < 0.5 ? 0.4 : -0.4) + 100 + 9 * random(),
    )
    const side = pick(['>', '>=', '<', '<='] as const)
    return pick([
      { kind: 'price', market_price: chance() },
      { kind: 'event', events: Math.floor(9 * random()), n: 20, period_days: 90 },
      { kind: 'state', events: Math.floor(9 * random()), n: 20, period_days: 90 },
      { kind: 'rank', rate_of_moving: random(), period_days: 7 },
      { kind: 'count', events: 30, exposure_days: 300, threshold: Math.floor(20 * random()), is: side },
      ...(['at', 'until'] as const).map(when => ({
        ...{ kind: 'level' as const, value: 100, volatility: 0.1 + random(), step_days: 1 },
        ...{ threshold: 60 + 80 * random(), is: side, when },
      })),
      { kind: 'level', series, step_days: 1, threshold: 60 + 80 * random(), is: side, when: 'at' },
    ])
  }

  test('by every form a question and its denial sum to 1, and a further threshold is never more likely', () => {
    for (let nth = 0; nth < 600; nth++) {
      const [subject, negated] = pick(subjects)
      const form = drawForm()
      const days = 1 + random() * 300
      const inputs = { ...drawInputs(), form, model: undefined }
      expect(ask(subject, days, inputs) + ask(negated, days, turn(inputs)), form.kind).toBeCloseTo(1, 9)
      if (form.kind !== 'level' && form.kind !== 'count') continue
      const further = { ...form, threshold: form.threshold * (form.is.startsWith('>') ? 1.1 : 0.9) }
      expect(ask(subject, days, { form: further })).toBeLessThanOrEqual(ask(subject, days, { form }))
    }
  })

  test('however the side of a level is said, it and its opposite sum to 1', () => {
    const at = (words: string) => {
      const question = readQuestion({ question: `Will gold close ${words} 5,000 USD on 1 June 2026?` }, now)
      const read = readLevel(question.positive, now)
      if (!read?.is) throw new Error(`${words} is not read`)
      const { threshold, is, when } = read
      const form = { kind: 'level', value: 4700, volatility: 0.3, step_days: 1, threshold, is, when } as const
      return estimate(question, { form }, { domain: 'general' }).probability
    }
    for (const [words, opposites] of [
      ['above', ['at or below', 'no higher than', 'at most', 'no more than']],
      ['below', ['at or above', 'no lower than', 'at least', 'no less than']],
    ] as const) {
      for (const opposite of opposites) expect(at(words) + at(opposite), opposite).toBeCloseTo(1, 9)
    }
    expect(at('above')).not.toBeCloseTo(0.5, 2)
  })

  test('a question and its complement sum to 1, and a later date is never less likely', () => {
    for (let nth = 0; nth < 500; nth++) {
      const [subject, negated] = pick(subjects)
      const inputs = drawInputs()
      const [early, late] = [1 + random() * 400, 401 + random() * 3000]
      expect(ask(subject, early, inputs) + ask(negated, early, turn(inputs))).toBeCloseTo(1, 9)
      expect(ask(subject, late, inputs)).toBeGreaterThanOrEqual(ask(subject, early, inputs))
    }
  })

  test('what supports never lowers, what opposes never raises, and a higher price is never answered with less', () => {
    for (let nth = 0; nth < 500; nth++) {
      const subject = pick(pick(subjects))
      const inputs = drawInputs()
      const days = 1 + random() * 2000
      const plain = ask(subject, days, inputs)
      const strength = 1 + 9 * random()
      const add = (likelihood_ratio: number) =>
        ask(subject, days, {
          ...inputs,
          evidence: [...(inputs.evidence ?? []), { text: 'new', likelihood_ratio }],
        })
      expect(add(strength)).toBeGreaterThanOrEqual(plain)
      expect(add(1 / strength)).toBeLessThanOrEqual(plain)
      expect(ask(subject, days, inputs)).toBe(plain)
      const at = (market_price: number) =>
        ask('the bridge be opened', days, { ...inputs, form: { kind: 'price', market_price } })
      expect(at(0.7)).toBeGreaterThanOrEqual(at(0.4))
    }
  })
})

describe('a consultation', () => {
  let world: ForecastWorld
  beforeEach(async () => {
    world = await startForecast()
  })
  afterEach(() => world.stop())

  const question = 'Will a recession begin in the United States by 31 December 2030?'
  const form = { kind: 'event', events: 12, n: 78, period_days: 365.25 }
  const stated = { question, form }

  test('is paid for, registered and signed, and needs no key of a model', async () => {
    const answer = await buy(world, 'consult', { ...stated, domain: 'infrastructure' })
    expect(answer).toMatchObject({
      tier: 'quick',
      engine: 'form',
      basis: 'event',
      method: 'form:event',
      interval80: null,
      form: { kind: 'event', skill: { n: 1446 } },
      views: null,
      cost: null,
    })
    // The mean over Jeffreys' posterior of 12 of 78, over almost five years.
    expect(answer.probability).toBeCloseTo(1 - (1 - 12.5 / 79) ** (1816.5 / 365.25), 1)
    expect(answer.rate_interval80[0]).toBeLessThan(answer.probability)
    expect(answer.rate_interval80[1]).toBeGreaterThan(answer.probability)
    const { canonical, signature } = answer.signature
    expect(await world.ask('verify_signature', { canonical, signature })).toMatchObject({
      valid: true,
      ours: true,
    })
    expect(JSON.parse(canonical)).toMatchObject({
      probability: answer.probability,
      commitment: answer.prediction.commitment,
    })
    const { predictions } = await world.ask('list_predictions')
    expect(predictions).toMatchObject([{ id: answer.prediction.id, state: 'open', question: null }])
    world.at('2031-01-01T00:00:00.000Z')
    const { id, secret } = answer.prediction
    const resolved = await world.ask('resolve_prediction', {
      id,
      secret,
      outcome: true,
      evidence_url: 'https://example.com/',
    })
    expect(resolved).toMatchObject({ outcome: 1, probability: answer.probability })
    const leaves = (await world.ask('read_record')).entries.map(({ canonical }: { canonical: string }) =>
      JSON.parse(canonical),
    )
    expect(commitTo(leaves[1].content)).toBe(leaves[0].commitment)
    // The word of who asked stands in a column of its own.
    expect(await world.ask('get_calibration')).toMatchObject({ scored: 0, brier: null, asker: { scored: 1 } })
  })

  test.each([
    [{ kind: 'event', events: 1, n: 9 }, '10000'],
    [{ kind: 'count', events: 9, exposure_days: 90, threshold: 3 }, '20000'],
    [{ kind: 'level', value: 3, volatility: 0.2, threshold: 4, is: '>', when: 'until' }, '50000'],
  ])('by the form %o costs %s units of USDC, and the 402 says what answers', async (form, amount) => {
    const refusal = await refusalOf(world.ask('consult', { question, form }))
    expect(refusal).toMatchObject({
      code: 'payment_required',
      extra: {
        hint: expect.stringContaining('No model'),
        params: { engine: 'form', basis: form.kind },
      },
    })
    expect(await offerFor(world, 'consult', { question, form })).toMatchObject({
      amount,
      network: 'eip155:8453',
    })
  })

  test('by the price of a market is that price, costs nothing and fills no record', async () => {
    const answer = await world.ask('consult', { question, form: { kind: 'price', market_price: 0.37 } })
    expect(answer).toMatchObject({ probability: 0.37, basis: 'price', prediction: null })
    expect(await world.ask('list_predictions')).toMatchObject({ predictions: [] })
  })

  test('takes threshold, side and time from the text, and shows in the price what it read', async () => {
    const asked = {
      question: 'Will gold close above 5,000 USD on 31 December 2026?',
      form: { kind: 'level', value: 4200, volatility: 0.16 },
    }
    const read = { asset: 'gold', is: '>', threshold: 5000, currency: 'USD', when: 'at' }
    expect(await world.ask('price_estimate', asked)).toMatchObject({
      read,
      engine: 'form',
      basis: 'level',
      price: 0.05,
    })
    const answer = await buy(world, 'consult', asked)
    expect(answer.form.event).toBe('The value at the close is above 5000.')
    expect(answer.interval80[0]).toBeLessThan(4200)
    expect(answer.interval80[1]).toBeGreaterThan(4200)
    expect(await refusalOf(world.ask('price_estimate', { question: asked.question }))).toMatchObject({
      extra: { reason: 'no_basis', params: { read } },
    })
  })

  test('has a price that can be pinned', async () => {
    const estimate = await world.ask('price_estimate', stated)
    expect(estimate).toMatchObject({
      price: 0.01,
      engine: 'form',
      estimated_price_by_tier: { quick: 0.01, standard: 10, deep: 25, research: 50 },
      includes: { research: expect.stringContaining('needs a model') },
      range_note: expect.stringContaining('50'),
    })
    const { quote_id } = estimate
    expect(await offerFor(world, 'consult', { ...stated, quote_id })).toMatchObject({ amount: '10000' })
    const reasonFor = async (input: object) => (await refusalOf(world.ask('consult', input))).extra.reason
    const level = { kind: 'level', value: 3, volatility: 0.2, threshold: 4, is: '>', when: 'until' }
    expect(await reasonFor({ question, form: level, quote_id })).toBe('quote_mismatch')
    expect(await reasonFor({ ...stated, quote_id, tier: 'deep' })).toBe('quote_mismatch')
    expect(await reasonFor({ form, question: question.replace('2030', '2031'), quote_id })).toBe(
      'quote_mismatch',
    )
    expect(await reasonFor({ ...stated, quote_id: `${quote_id.slice(0, -3)}AAA` })).toBe('unknown_quote')
    world.at('2026-01-10T13:00:01.000Z')
    expect(await reasonFor({ ...stated, quote_id })).toBe('quote_expired')
  })

  test('of thirty-six bare questions none is answered, by a constant or otherwise, and none has a price', async () => {
    const bare = [
      'Will the sun rise tomorrow?',
      'Does 2 + 2 equal 4?',
      'Is 7 a prime number?',
      'Will Bitcoin be above 1 USD?',
      'Will gold close above 3,000 USD?',
      'Will the S&P 500 fall below 4,000?',
      'Will Easter Sunday fall in April?',
      'Will February have 28 days?',
      'Will water boil at 100 degrees at sea level?',
      'Will the Moon still orbit the Earth?',
      'Will the incumbent president win the election?',
      'Will a recession begin in Germany?',
      'Will the central bank cut its rate?',
      'Will inflation be below 3 % in the euro area?',
      'Will a magnitude 7 earthquake strike Japan?',
      'Will it rain in Rome?',
      'Will the temperature in Oslo exceed 30 degrees?',
      'Will Real Madrid win the league?',
      'Will the champion defend the title?',
      'Will a new pope be elected?',
      'Will the two countries sign a ceasefire?',
      'Will the parliament be dissolved?',
      'Will the company go bankrupt?',
      'Will the company report a profit?',
      'Will the shares of the company double?',
      'Will the model pass the benchmark?',
      'Will a language model win a gold medal in mathematics?',
      'Will the rocket reach orbit?',
      'Will humans land on Mars?',
      'Will the drug be approved?',
      'Will a vaccine be available?',
      'Will the film win the award?',
      'Will the bridge be opened to traffic?',
      'Will the merger be completed?',
      'Will the strike end?',
      'Will not a single bank fail?',
    ]
    expect(new Set(bare).size).toBe(36)
    for (const question of bare)
      for (const name of ['consult', 'price_estimate'])
        expect(
          await refusalOf(world.ask(name, { question, closes_at: '2026-03-01' })),
          question,
        ).toMatchObject({
          code: 'invalid_input',
          extra: { reason: expect.stringMatching(/^(no_basis|empty)$/) },
        })
    expect([world.chain.transfers.size, world.chain.debits()]).toEqual([0, 0n])
  })

  test('that rests on nothing is refused before anybody is asked to pay, however it is asked', async () => {
    const bare = [
      'Will the sun rise tomorrow, on 11 January 2026?',
      'Is 2 + 2 equal to 4 on 1 March 2026?',
      'Will Bitcoin be above 1 USD on 31 December 2026?',
      'Will a recession begin in the United States by 31 December 2030?',
    ]
    for (const channel of ['rest', 'mcp', 'a2a'] as const)
      for (const question of bare)
        for (const more of [{}, { evidence: [{ text: 'seen', likelihood_ratio: 3 }] }, { method: 'form' }])
          expect(await refusalOf(world.ask('consult', { question, ...more }, { channel }))).toMatchObject({
            code: 'invalid_input',
            extra: { reason: 'no_basis', hint: expect.stringContaining('market_price') },
          })
    for (const tier of ['standard', 'deep', 'research'])
      expect(await refusalOf(world.ask('consult', { ...stated, tier }))).toMatchObject({
        code: 'unavailable',
        extra: { reason: 'engine_unavailable' },
      })
    expect(await refusalOf(world.ask('consult', { question, method: 'model' }))).toMatchObject({
      code: 'unavailable',
    })
    expect([world.chain.transfers.size, world.chain.debits()]).toEqual([0, 0n])
    expect(await world.ask('list_predictions')).toMatchObject({ predictions: [] })
  })

  test('that cannot be read is refused with the field that is wrong', async () => {
    for (const [input, path] of [
      [{ ...stated, tier: 'gold' }, 'tier'],
      [{ ...stated, method: 'form', tier: 'deep' }, 'tier'],
      [{ question, form: { kind: 'price', market_price: 1.2 } }, 'form.market_price'],
      [{ question, form: { kind: 'event', events: 5, n: 3 } }, 'form.events'],
      [{ question, form: { kind: 'anything' } }, 'form.kind'],
      [{ question, form: { kind: 'level', value: 3, volatility: 1 } }, 'form.threshold'],
      [{ ...stated, priors: [{ probability: 1 }] }, 'priors.0.probability'],
      [{ ...stated, evidence: [{ text: 'seen' }] }, 'evidence.0.likelihood_ratio'],
      [{ question, form: { ...form, series: [1] } }, 'form.series'],
      [
        { ...stated, resolution_source: { url: 'ftp://x', pointer: '', is: '=', value: '1' } },
        'resolution_source.url',
      ],
    ] as const) {
      const refusal = await refusalOf(world.ask('consult', input, { channel: 'mcp' }))
      expect(`${path}: ${refusal.code}`).toBe(`${path}: invalid_input`)
      expect(refusal.extra.issues?.map(issue => issue.path)).toContain(path)
    }
  })

  test('asked by two buyers is one prediction with two secrets', async () => {
    const [one, other] = [await buy(world, 'consult', stated), await buy(world, 'consult', stated)]
    expect(other.probability).toBe(one.probability)
    expect(other.prediction.id).toBe(one.prediction.id)
    expect(other.prediction.secret).not.toBe(one.prediction.secret)
    world.at('2031-01-02T00:00:00.000Z')
    const say = (id: string, secret: string, outcome: 0 | 1) =>
      world.ask('resolve_prediction', { id, secret, outcome, evidence_url: 'https://example.com/' })
    const { id } = one.prediction
    const elsewhere = await buy(world, 'consult', { ...stated, question: question.replace('2030', '2032') })
    expect(await refusalOf(say(id, elsewhere.prediction.secret, 1))).toMatchObject({ code: 'forbidden' })
    // Two words that differ leave nothing that counts anywhere.
    await say(id, one.prediction.secret, 1)
    expect(await say(id, other.prediction.secret, 0)).toMatchObject({ state: 'annulled', reason: 'disputed' })
    expect(await world.ask('get_calibration')).toMatchObject({ scored: 0, asker: { scored: 0 } })
  })
})
