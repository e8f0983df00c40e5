/** What a value should reach, in the unit of its bench. */
export type Aim = { readonly atLeast: number } | { readonly below: number }

/** One measured value. `note` holds the figures behind it, for the reader of the table. */
export type Measurement = { value: number; note?: string }

/** One row to measure. `against` names the peer; ratios have the unit `x`, and more is better. */
export type Bench = {
  readonly name: string
  readonly unit: string
  readonly against?: string
  readonly aim?: Aim
  measure(): Promise<Measurement>
}

/** Rows that share what they set up. `close` removes it, whether or not anything was measured. */
export type Group = { readonly name: string; readonly benches: readonly Bench[]; close?(): Promise<void> }

/** One row of the report, as `--json` prints it. `met` is null without an aim, `value` when nothing could be measured. */
export type Row = {
  name: string
  value: number | null
  unit: string
  against: string | null
  aim: string | null
  met: boolean | null
}

/** A row and what stands beside it in the table. */
export type Line = { row: Row; note: string }

const reaches = (aim: Aim, value: number): boolean =>
  'atLeast' in aim ? value >= aim.atLeast : value < aim.below

const aimText = (aim: Aim): string => ('atLeast' in aim ? `>= ${aim.atLeast}` : `< ${aim.below}`)

const facts = ({ name, unit, against, aim }: Bench) => ({
  name,
  unit,
  against: against ?? null,
  aim: aim ? aimText(aim) : null,
})

/** The row of a measured bench. The value is rounded for printing only after it was held against the aim. */
export const toLine = (bench: Bench, { value, note = '' }: Measurement): Line => {
  const { name, unit, against, aim } = facts(bench)
  const met = bench.aim ? reaches(bench.aim, value) : null
  return { row: { name, value: Number(value.toPrecision(4)), unit, against, aim, met }, note }
}

/** The row of a bench that could not be measured: an aim that nobody measured is not met. */
export const brokenLine = (bench: Bench, error: unknown): Line => {
  const { name, unit, against, aim } = facts(bench)
  const why = error instanceof Error ? error.message : String(error)
  return {
    row: { name, value: null, unit, against, aim, met: aim === null ? null : false },
    note: `not measured: ${why}`,
  }
}
