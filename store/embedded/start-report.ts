import { basename } from 'node:path'
import type { CheckpointFacts } from './checkpoint.ts'
import type { Recovery } from './recovery.ts'

const count = (number: number): string => number.toLocaleString('en')
const amount = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? '' : 's'}`

/** Reports what a start read and dropped, in a sentence for the operator: where the files end, nobody else can tell. */
export const startReport = (
  { checkpoint, lsn, tails }: Pick<Recovery, 'checkpoint' | 'lsn' | 'tails'>,
  { time, bytes }: CheckpointFacts,
): string => {
  const base =
    bytes > 0
      ? `read the checkpoint${time ? ` of ${time}` : ''}, commit ${count(checkpoint)}`
      : 'found no checkpoint'
  const journal =
    lsn > checkpoint
      ? `, and ${amount(lsn - checkpoint, 'commit')} of the journal, to commit ${count(lsn)}`
      : ', and no commits of the journal'
  const dropped = tails
    .filter(tail => tail.bytes > 0)
    .map(
      tail =>
        `; the last ${amount(tail.bytes, 'byte')} of ${basename(tail.path)} are no whole record and were dropped`,
    )
  const meaning =
    dropped.length > 0
      ? ': a write that was under way, unless the disk lost or somebody cut what it had synced; how many commits that were is not known'
      : ''
  return `${base}${journal}${dropped.join('')}${meaning}`
}
