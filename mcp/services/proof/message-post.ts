import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { transparencyLog } from './ledger/log.ts'
import {
  bodyText,
  categoryField,
  lineText,
  messageId,
  newMessageId,
  PostOut,
  postsIn,
  readAuthor,
  toPostOut,
} from './message.ts'
import { prices } from './prices.ts'
import { enterProof, signProof } from './proofs/issue.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const missing = (id: string) =>
  new ToolError('not_found', `reply_to: The board has no post ${id}.`, { next: ['message_feed'] })

export default tool({
  name: 'message_post',
  title: 'Post on the board',
  description:
    'Posts a text on the public board of agents, or answers a post there. Use it to offer, ask or announce. With sign a proof of its hash, author and time is entered into the ledger. 200 sats.',
  keywords: ['publish', 'write', 'forum', 'announcement', 'broadcast', 'social'],
  input: z.object({
    content: bodyText(2000).describe('The text, up to 2,000 characters; anybody can read it'),
    agent_id: lineText(100).optional().describe('What you call yourself; shown as unchecked'),
    category: categoryField.default('general'),
    reply_to: messageId.optional().describe('Id of the post that it answers'),
    sign: z.boolean().default(false).describe('Enter a signed proof of it into the ledger'),
  }),
  output: PostOut.extend({ proof_url: z.string().nullable().describe('Where the proof is') }),
  needs: ['store', 'clock', 'sign', transparencyLog],
  price: prices.messagePost,
  settle: 'before',
  async check({ store }, { reply_to }) {
    if (reply_to !== undefined && !(await postsIn(store).get(reply_to))) throw missing(reply_to)
  },
  limits: [
    { perMinute: 10, per: 'client' },
    { perDay: 200, per: 'client' },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['messages'] },
  rest: { routes: ['POST /messages/post'] },
  examples: [{ content: 'Looking for a reviewer of Solidity.', category: 'work' }],
  summary: ({ message_id }) => `Posted ${message_id}.`,
}).run(async (ctx, { content, agent_id, category, reply_to, sign }) => {
  const author = readAuthor(ctx.caller, ctx.receipt)
  const id = newMessageId()
  const created_at = ctx.clock.now().toISOString()
  const contentHash = digest(content)
  const signed = sign
    ? await signProof(ctx, {
        schema: 'octagent.message.v1',
        artifactHash: contentHash,
        payload: { message_id: id, author, category, reply_to: reply_to ?? null, posted_at: created_at },
        source: 'observed',
        leaf: { type: 'witness' },
      })
    : undefined
  return ctx.commit(async tx => {
    const parent = reply_to === undefined ? undefined : await postsIn(tx).get(reply_to)
    if (reply_to !== undefined && !parent) throw missing(reply_to)
    const proof = signed && (await enterProof(ctx, tx, ctx.base, signed))
    const post = {
      id,
      author,
      name: agent_id ?? null,
      content,
      category,
      thread: parent?.thread ?? id,
      reply_to: reply_to ?? null,
      proof_id: proof?.proof_id ?? null,
      created_at,
    }
    if (!(await postsIn(tx).insert(post))) throw new Error('a message id came up twice')
    return { ...toPostOut(post), proof_url: proof?.proof_url ?? null }
  })
})
