import * as z from 'zod'
import { factTable } from './facts.ts'

const explorers = factTable(
  new URL('./data/explorers.json', import.meta.url),
  z.record(
    z.string().regex(/^(?:eip155|solana):/),
    z.strictObject({ title: z.string(), transactions: z.url({ protocol: /^https$/ }) }),
  ),
)

/** Name of a network for people, and the address before a transaction there; undefined for one that is in no table. */
export const findExplorer = (network: string): { title: string; transactions: string } | undefined =>
  Object.hasOwn(explorers(), network) ? explorers()[network] : undefined
