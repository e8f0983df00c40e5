import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import {
  line,
  type Signature,
  SignatureOut,
  signatureCountersIn,
  signaturesIn,
  toPublicSignature,
  untrustedMark,
} from './signature.ts'

export default tool({
  name: 'sign',
  title: 'Sign the guest book',
  description:
    'Writes a name and a note of up to 100 characters into the guest book, for everyone to read and for good. Free.',
  keywords: ['visitors', 'leave', 'message', 'add', 'post', 'comment'],
  input: z.object({
    name: line(60, 1).describe('Who signs, up to 60 characters'),
    note: line(100, 0).describe('A note, up to 100 characters'),
  }),
  output: SignatureOut.extend({ untrusted: untrustedMark }),
  needs: ['store', 'clock'],
  price: free,
  // A signature is for good, so a day has room for some of one signer and for a number of all.
  limits: [
    { perMinute: 10, per: 'client' },
    { perDay: 40, per: 'client' },
    { perDay: 2000, per: 'all' },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['guest-book', 'free'] },
  rest: { routes: ['POST /api/sign'] },
  examples: [{ name: 'Ada', note: 'What a fine cat.' }],
  summary: ({ number, name }) => `${name} has signed as number ${number}.`,
}).run(({ commit, clock }, { name, note }) =>
  commit(async tx => {
    const counters = signatureCountersIn(tx)
    const number = ((await counters.get('signatures'))?.last ?? 0) + 1
    const signature: Signature = {
      id: String(number),
      number,
      name,
      note,
      signed_at: clock.now().toISOString(),
    }
    await counters.put({ id: 'signatures', last: number })
    await signaturesIn(tx).insert(signature)
    return { ...toPublicSignature(signature), untrusted: true as const }
  }),
)
