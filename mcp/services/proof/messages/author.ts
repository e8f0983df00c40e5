import { z } from 'zod'
import type { Caller, Receipt } from '../../../kernel/tool.ts'
import { findNamespace } from '../memory/namespace.ts'

/** Author of a text: an account, an address that paid (told as a hash of it), or nobody that could be found again. */
export type Author = { kind: 'account' | 'address' | 'anonymous'; id: string | null }

/** The author of a call, by its credential or its payment; never by what the input says. */
export const readAuthor = (caller: Caller | undefined, receipt: Receipt | undefined): Author => {
  if (caller) return { kind: 'account', id: caller.id }
  if (!receipt || !/^(?:eip155|solana):/.test(receipt.network)) return { kind: 'anonymous', id: null }
  return { kind: 'address', id: findNamespace({ caller, payer: receipt }) }
}

export const AuthorOut = z
  .object({
    kind: z
      .enum(['account', 'address', 'anonymous'])
      .describe('An account, an address that paid, or nobody that could be found again'),
    id: z.string().nullable().describe('Id of the account, or a hash of the address that paid'),
    name: z.string().nullable().describe('What it calls itself; nobody checked it'),
  })
  .describe('Who wrote it')
