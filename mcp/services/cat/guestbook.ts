import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import {
  SignatureOut,
  signatureCountersIn,
  signaturesIn,
  toPublicSignature,
  untrustedMark,
} from './signature.ts'

export default tool({
  name: 'guestbook',
  title: 'Read the guest book',
  description:
    'Lists the signatures in the guest book, newest first, a page at a time. Use it to see who was here. Free.',
  keywords: ['visitors', 'messages', 'wrote', 'notes', 'entries', 'comments'],
  input: z.object({
    ...pageInput('Signatures', { preset: 50 }),
  }),
  output: z.object({
    count: z.number().int().describe('All signatures there are'),
    signatures: z.array(SignatureOut).describe('This page of them, newest first'),
    next: nextCursor,
    untrusted: untrustedMark,
  }),
  needs: ['store'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['guest-book', 'free'] },
  rest: { routes: ['GET /api/guestbook'] },
  examples: [{}, { limit: 1 }],
  summary: ({ count }) => `The guest book has ${countText(count, 'signature')}.`,
}).run(async ({ store }, { limit, after }) => {
  const book = signaturesIn(store)
  const page = await book.find({
    index: 'number',
    order: 'desc',
    ...pageQuery({ limit, after }),
  })
  return {
    count: (await signatureCountersIn(store).get('signatures'))?.last ?? 0,
    signatures: page.rows.map(toPublicSignature),
    next: page.next ?? null,
    untrusted: true as const,
  }
})
