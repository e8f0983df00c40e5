import { join } from 'node:path'

/** The names of everything in a store's directory. */
export const files = {
  checkpoint: (dir: string): string => join(dir, 'checkpoint.jsonl'),
  unfinished: (dir: string): string => join(dir, 'checkpoint.jsonl.tmp'),
  closed: (dir: string): string => join(dir, 'closed'),
  closing: (dir: string): string => join(dir, 'closed.tmp'),
  incomplete: (dir: string): string => join(dir, 'incomplete'),
  moved: (dir: string): string => join(dir, 'moved'),
  probe: (dir: string): string => join(dir, 'probe.tmp'),
  log: (dir: string, number: number): string => join(dir, `log.${number}`),
  journal: (dir: string, number: number): string => join(dir, `journal.${number}`),
}

const numberIn =
  (pattern: RegExp) =>
  (name: string): number | undefined => {
    const [, number] = pattern.exec(name) ?? []
    return number === undefined ? undefined : Number(number)
  }

/** The number in a journal's name, undefined for any other file. */
export const journalNumber = numberIn(/^journal\.([1-9]\d{0,14})$/)

/** The number in the name of a file of log entries, undefined for any other file. */
export const logNumber = numberIn(/^log\.([1-9]\d{0,14})$/)
