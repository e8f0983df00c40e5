import type { Note } from '../../note.ts'
import { type Directive, reachable, type SpfPolicy } from './policy.ts'

type Wide = { key: string; size: number; text: string }

/** The IPv4 space that a term lets pass, when it is large: in a /8 or more nobody knows who sends. */
const wide = ({ qualifier, mechanism, text }: Directive): Wide[] => {
  if (qualifier !== '+') return []
  const bits =
    mechanism.name === 'ip4'
      ? mechanism.bits
      : mechanism.name === 'a' || mechanism.name === 'mx'
        ? mechanism.bits4
        : 32
  if (bits > 8) return []
  const network = mechanism.name === 'ip4' ? mechanism.network.text : text
  return [{ key: `${network}/${bits}`, size: 2 ** (32 - bits), text }]
}

/** IPv4 networks of size /8 and more in any of the records, and whether they are half of all addresses or more. */
export const wideNetworks = (policies: readonly SpfPolicy[]): { notes: Note[]; halfOfAll: boolean } => {
  const counts = new Map(
    policies
      .flatMap(reachable)
      .flatMap(wide)
      .map(network => [network.key, network]),
  )
  const total = [...counts.values()].reduce((sum, { size }) => sum + size, 0)
  const notes = [...counts.values()].slice(0, 5).map(({ text }) => ({
    code: 'wide_network',
    message: `"${text.slice(0, 80)}" lets millions of strangers' hosts pass.`,
  }))
  return { notes, halfOfAll: total >= 2 ** 31 }
}
