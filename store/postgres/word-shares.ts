import type { Ask } from './connections.ts'
import { literal, type Relation } from './relation.ts'

/** Database statistics on a table's words: which are the most common, and what share of the documents has each. */
type Shares = { documents: number; common: ReadonlyMap<string, number> }

const ageMs = 60_000

const loadShares = async (ask: Ask, { schema, table }: Relation): Promise<Shares | undefined> => {
  const name = literal(table.slice(schema.length + 1))
  const { rows } = await ask<{ documents: number; tokens: string[] | null; shares: number[] | null }>(
    `SELECT c.reltuples AS documents, s.most_common_elems::text::text[] AS tokens, s.most_common_elem_freqs AS shares
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       LEFT JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = 'words'
       WHERE n.nspname = ${literal(schema)} AND c.relname = ${name}`,
  )
  const [row] = rows
  if (!row?.tokens || !row.shares) return undefined
  const { documents, tokens, shares } = row
  return { documents, common: new Map(tokens.map((token, at) => [token, shares[at] ?? 0])) }
}

const knownShares = new WeakMap<Relation, { until: number; shares: Promise<Shares | undefined> }>()

const sharesIn = (ask: Ask, relation: Relation): Promise<Shares | undefined> => {
  const before = knownShares.get(relation)
  if (before && performance.now() < before.until) return before.shares
  const shares = loadShares(ask, relation)
  knownShares.set(relation, { until: performance.now() + ageMs, shares })
  shares.catch(() => knownShares.delete(relation))
  return shares
}

/**
 * About how many documents have the rarest of these words, by what the last ANALYZE saw; none where it is not among the common
 * ones. Undefined when the table was never analysed.
 */
export const countRarest = async (
  ask: Ask,
  relation: Relation,
  tokens: readonly string[],
): Promise<number | undefined> => {
  const shares = await sharesIn(ask, relation)
  return shares && Math.min(...tokens.map(token => (shares.common.get(token) ?? 0) * shares.documents))
}
