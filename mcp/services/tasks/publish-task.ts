import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { categories } from './category.ts'
import { type EscrowChain, escrowChain, requireEscrowChain } from './chain.ts'
import { tasksSettings } from './config.ts'
import { evidenceTypes } from './evidence.ts'
import { commitOrKeep, fundTask, quoteDeposit } from './funding.ts'
import { computeTotal, newFunds, parseUsd } from './money.ts'
import { TaskOut, toPublicTask } from './public-task.ts'
import { publishFields, publishTask } from './task-terms.ts'

/** Texts that ask for a task to be published. */
const beginsTask =
  /^\s*(?:please\s+)?(?:(?:publish|post|create|make)\s+(?:a\s+|the\s+|this\s+)?(?:new\s+)?(?:task|job|gig|bounty)\b|hire\b|(?:i\s+(?:need|want)|find)\s+(?:me\s+)?(?:someone|somebody|a\s+person|a\s+human|a\s+worker)\b)/i

const command =
  /^\s*(?:please\s+)?(?:publish|post|create|make)\s+(?:a\s+|the\s+|this\s+)?(?:new\s+)?(?:task|job|gig|bounty)\b[\s:,-]*(?:(?:to|for|that)\s+)?/i

type Said = Record<string, unknown>

const number = String.raw`(\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)`
/** A number that goes on, is another unit, or is a rate is no bounty. */
const ends = String.raw`(?![\d,.]*\d|[a-tv-z_]|u(?!s)|\s?(?:k|m|million|thousand)\b|\s?(?:\/|per\b|an?\s+hour|each\b|cents?\b))`

const amountForms = [
  new RegExp(String.raw`(?<![\w$.,-])(?:US)?\$\s?${number}${ends}`, 'gi'),
  new RegExp(
    String.raw`(?<![\w$.,€£-])${number}\s?(?:usdc?|us dollars?|dollars?|bucks)\b(?!\s?(?:\/|per\b|an?\s+hour|each\b))`,
    'gi',
  ),
]

const labelledAmount = new RegExp(
  String.raw`\b(?:bounty|reward|pay(?:ment|ing|s)?|budget)(?:_usd)?\b[^\d$\n]{0,20}(?:US)?\$?\s?(?<![-\d])${number}\s?(?:usdc?|dollars?)?`,
  'i',
)

/** The bounty, where exactly one amount of dollars is named: of two nobody knows which, and none is never some. */
const parseBounty = (text: string): Said => {
  const amounts = new Set(
    amountForms.flatMap(form =>
      [...text.matchAll(form)].map(([, amount = '']) => amount.replaceAll(',', '')),
    ),
  )
  const [only] = amounts
  if (amounts.size === 1 && only !== undefined) return { bounty_usd: only }
  const labelled = labelledAmount.exec(text)?.[1]?.replaceAll(',', '')
  return labelled !== undefined && amounts.has(labelled) ? { bounty_usd: labelled } : {}
}

const hoursPer = { h: 1, d: 24, w: 168 } as const

const parseDeadline = (text: string): Said => {
  const match =
    /\b(?:within|in|deadline(?:_hours)?\s*(?:is|of|:)?|by|for)\s+(?:the\s+next\s+)?(\d{1,4}(?:\.\d)?)\s?(h(?:ours?|rs?)?|d(?:ays?)?|w(?:eeks?)?)\b/i.exec(
      text,
    ) ?? /\b(\d{1,4})[\s-](hours?|days?|weeks?)\s+(?:deadline|from now)\b/i.exec(text)
  const [, count, unit = ''] = match ?? []
  const hours = hoursPer[unit.charAt(0).toLowerCase() as keyof typeof hoursPer]
  return count === undefined || !hours ? {} : { deadline_hours: Number(count) * hours }
}

const evidenceWords: readonly (readonly [RegExp, (typeof evidenceTypes)[number]])[] = [
  [
    /\b(?:geo-?tagged|located) (?:photos?|pictures?)\b|\bphotos? with (?:its |a |the )?location\b/i,
    'photo_geo',
  ],
  [/\b(?:photos?|pictures?)\b/i, 'photo'],
  [/\bvideos?\b/i, 'video'],
  [/\breceipts?\b/i, 'receipt'],
  [/\bscreen-?shots?\b/i, 'screenshot'],
  [/\bsigned\b|\bsignatures?\b/i, 'signature'],
  [/\b(?:written|text) (?:answer|response)\b/i, 'text_response'],
  [/\b(?:written|text) report\b/i, 'text_report'],
  [/\bmeasur(?:e|es|ement|ements)\b/i, 'measurement'],
]

const parseEvidence = (text: string): Said => {
  const named = evidenceTypes.filter(
    type => type.includes('_') && new RegExp(String.raw`\b${type}\b`, 'i').test(text),
  )
  const rest = text.replace(/\w+_\w+/g, ' ')
  const spoken = evidenceWords.filter(([form]) => form.test(rest)).map(([, type]) => type)
  const types = [...new Set([...named, ...spoken])].filter(
    type => type !== 'photo' || !spoken.includes('photo_geo'),
  )
  return types.length === 0 ? {} : { evidence_required: types.slice(0, 5) }
}

const categoryWords: readonly (readonly [RegExp, (typeof categories)[number]])[] = [
  [/\b(?:go to|visit|walk|drive|stand in line|queue|photos?|pictures?|look at)\b/i, 'physical_presence'],
  [/\b(?:buy|deliver|pick up|drop off)\b/i, 'simple_action'],
  [/\b(?:research|find out|compare)\b/i, 'research'],
  [/\b(?:translate|write|draft)\b/i, 'content_generation'],
  [/\b(?:collect|count|survey)\b/i, 'data_collection'],
  [/\b(?:check|verify|confirm)\b/i, 'verification'],
]

const parseCategory = (text: string): Said => {
  const named = categories.find(category =>
    new RegExp(String.raw`\b${category.replaceAll('_', '[ _]')}\b`, 'i').test(text),
  )
  const category = named ?? categoryWords.find(([form]) => form.test(text))?.[1]
  return category === undefined ? {} : { category }
}

/** Names and house numbers behind a preposition: `at Main Street 1, Springfield`. */
const placeName =
  /\b(?:at|near|on|in)\s+(\p{Lu}[\p{L}'-]{1,30}(?: (?:\p{Lu}[\p{L}'-]{0,30}|\d{1,5}\w?)){0,6}(?:, \p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{0,30}){0,3})?)/u

const parsePlace = (text: string): Said => {
  const [, lat, lng] = /(-?\d{1,2}\.\d{2,8})\s*[,;]\s*(-?\d{1,3}\.\d{2,8})/.exec(text) ?? []
  const point = lat === undefined ? {} : { location_lat: Number(lat), location_lng: Number(lng) }
  const hint = placeName.exec(text)?.[1]
  return { ...point, ...(hint !== undefined && { location_hint: hint }) }
}

/** `title: …` on a line of its own, or up to a semicolon. */
const readLabel = (text: string, label: string): string | undefined =>
  new RegExp(String.raw`(?:^|[\n;])\s*${label}\s*[:=]\s*([^\n;]+)`, 'i').exec(text)?.[1]?.trim()

const readWords = (text: string, known: Said): Said => {
  const body = text.replace(command, '').trim()
  const title = readLabel(text, 'title')
  const instructions = readLabel(text, 'instructions')
  const sentence = (/^[^\n]{5,}?(?=[.!?](?:\s|$)|\n|$)/.exec(body)?.[0] ?? '').slice(0, 120).trim()
  const isWhole = body.length >= 20
  return {
    ...(title !== undefined && { title }),
    ...(instructions !== undefined && { instructions }),
    ...(title === undefined &&
      known.title === undefined &&
      isWhole &&
      sentence.length >= 5 && { title: sentence }),
    ...(instructions === undefined &&
      known.instructions === undefined &&
      isWhole && { instructions: body.slice(0, 5000) }),
  }
}

const without = (said: Said, known: Said): Said =>
  Object.fromEntries(Object.entries(said).filter(([name]) => known[name] === undefined))

/**
 * What plain words say of a task: money only where exactly one amount of dollars is named, time and evidence where they are named,
 * title and instructions from the words themselves. A later text changes the bounty, the deadline and the evidence, and adds the rest.
 */
export const readTaskProse = (text: string, known: Said): Said => ({
  ...readWords(text, known),
  ...without({ ...parseCategory(text), ...parsePlace(text) }, known),
  ...parseBounty(text),
  ...parseDeadline(text),
  ...parseEvidence(text),
})

/** Refuses a way to hold the money that is not there, before anything is published. */
const checkEscrow = async (
  chain: EscrowChain | undefined,
  { escrow, deposit }: { escrow: string; deposit: string },
): Promise<void> => {
  if (escrow === 'ledger') return
  if (deposit === 'now')
    throw new ToolError(
      'invalid_input',
      `With escrow: ${escrow} the payment names the worker: it comes later.`,
      {
        issues: [{ path: 'deposit', message: `must be later with escrow: ${escrow}` }],
      },
    )
  if (escrow === 'onchain') await requireEscrowChain(chain).place()
}

export default tool({
  name: 'publish_task',
  title: 'Publish a task',
  description:
    'Publishes a task for people, agents or robots, with a bounty in USD, a deadline and the evidence to hand in. With deposit: now bounty and fee go into escrow at once (by x402, or from the balance); with later, free, when it is assigned: until then it is listed last, and ends after 24 hours.',
  keywords: ['hire', 'person', 'human', 'job', 'post', 'create'],
  input: z.object({
    ...publishFields,
    deposit: z.enum(['now', 'later']).default('later').describe('When the money goes into escrow'),
  }),
  output: TaskOut,
  needs: ['store', 'clock', 'ledger', tasksSettings.feeBps],
  wants: [escrowChain],
  price: free,
  check: ({ escrowChain: chain }, { escrow, deposit }) => checkEscrow(chain, { escrow, deposit }),
  quote: async ({ store, ledger, caller, feeBps }, { deposit, bounty_usd, workers }) => {
    if (deposit === 'later') return free
    const total = computeTotal({ funds: newFunds(parseUsd(bounty_usd), feeBps), spare: workers - 1 })
    return quoteDeposit(store, ledger, caller.id, total)
  },
  settle: 'before',
  credits: true,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'publish-task', prose: { begins: beginsTask, read: readTaskProse } },
  rest: { routes: ['POST /api/v1/tasks'], status: 201 },
  examples: [
    {
      title: 'Is the bakery on Main Street open?',
      instructions: 'Go there, take a photo of the door with its opening hours, and say if it is open.',
      category: 'physical_presence',
      bounty_usd: '5.00',
      deadline_hours: 24,
      evidence_required: ['photo_geo', 'text_response'],
      location_hint: 'Main Street 1, Springfield',
      location_lat: 39.7817,
      location_lng: -89.6501,
    },
  ],
  summary: ({ task_id, payment }) => `Published as ${task_id} for ${payment.bounty_usd} USD.`,
}).run((ctx, { deposit, ...input }) => {
  const { clock, ledger, caller, receipt, feeBps } = ctx
  const publisher = caller.id
  const amount = () =>
    computeTotal({ funds: newFunds(parseUsd(input.bounty_usd), feeBps), spare: input.workers - 1 })
  return commitOrKeep(ctx, { account: publisher, amount }, async tx => {
    const now = clock.now()
    const task = await publishTask(tx, input, { publisher, feeBps, now })
    const isPaidNow = deposit === 'now'
    return toPublicTask(isPaidNow ? await fundTask(tx, ledger, task, { receipt, now }) : task)
  })
})
