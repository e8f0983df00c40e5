import protections from '../data/protections.json' with { type: 'json' }
import type { DiffFile, Line } from '../read/lines.ts'
import { changedLines, codeAfter, excerpt, squeeze } from './code-lines.ts'
import { actFact, type Detector, type Fact, parsePattern } from './fact.ts'

/** Something that protects, by what it is and not by who does it: whichever way it is done afterwards, it is still done. */
type Concern = {
  name: string
  /** Code that did it. */
  done: RegExp
  /** Other code for it, or in its place; default: the same. */
  still?: RegExp
  /** Code needed afterwards for the loss to matter. */
  matters?: RegExp
  /** Pattern of lines that do not count. */
  aside?: RegExp
}

const concerns: readonly Concern[] = protections.map(({ name, done, still, matters, aside }) => ({
  name,
  done: parsePattern(done),
  ...(still !== undefined && { still: parsePattern(still) }),
  ...(matters !== undefined && { matters: parsePattern(matters) }),
  ...(aside !== undefined && { aside: parsePattern(aside) }),
}))

/** Things named only to be turned off. */
const turnedOff =
  /-{0,2}\b[\w-]{1,40}["']?\s{0,3}[:=]\s{0,3}\$?(?:false|False|off|0|no|nil|null|None)\b|--?no-[\w-]{1,40}|--yes\b|\b(?:skip|disable|bypass|without)_?\w{1,40}/g

/** True when what was guarded is done still: something comes, or only a few lines go from among others. */
const stillWorks = (file: DiffFile): boolean =>
  changedLines(file, 'added').length > 0 ||
  (changedLines(file, 'removed').length <= 3 &&
    codeAfter(file).some(({ text }) => /\w\s{0,3}[(=]|\breturn\b|\w\s["'$-]/.test(text)))

/** A condition that held a change of rows back, and without which the statement is the same. */
const lostCondition = (file: DiffFile): Line | undefined => {
  const added = changedLines(file, 'added')
  const after = new Set(added.map(({ text }) => squeeze(text)))
  return changedLines(file, 'removed').find(line => {
    const { text } = line
    if (/\b(?:UPDATE|DELETE)\b[^\n]{0,400}\bAND\b/i.test(text))
      return [...text.matchAll(oneCondition)].some(([part]) => after.has(squeeze(text.replace(part, ''))))
    if (!/^\s*(?:AND|WHERE)\b/i.test(text) || added.some(({ text }) => /\b(?:AND|WHERE)\b/i.test(text)))
      return false
    const at = file.lines.indexOf(line)
    return file.lines
      .slice(Math.max(0, at - 10), at)
      .some(({ change, text }) => change !== 'removed' && /\bUPDATE\s+\S+|\bDELETE\s+FROM\b/i.test(text))
  })
}

const oneCondition =
  /\s+AND\s+[\w."]{1,60}\s*(?:=|<>|!=|<=?|>=?|IS|IN|LIKE)\s*(?:NOT\s+)?(?:\([^)\n]{0,100}\)|'[^'\n]{0,60}'|[^\s;"'`)]{1,60})/gi

/** How many copies or days are kept, all told. */
const keptIn = (text: string): number => {
  let sum = 0
  for (const [, value] of text.matchAll(
    /\b(?:keep|retain|retention|backup_?retention)[\w-]{0,30}["']?\s{0,3}[=:]?\s{0,3}["']?(\d{1,5})\b/gi,
  ))
    sum += Number(value)
  return sum
}

/** Backups of which a third or less is kept. */
const keepsFewer = (file: DiffFile): Line | undefined => {
  const isBackup = /backup|snapshot|restic|borg|prune|retention|wal|pitr/i
  const before = changedLines(file, 'removed').filter(({ text }) => keptIn(text) > 0)
  const after = changedLines(file, 'added').filter(({ text }) => keptIn(text) > 0)
  const sum = (lines: readonly Line[]) => lines.reduce((all, { text }) => all + keptIn(text), 0)
  const isOf = isBackup.test(file.name) || before.some(({ text }) => isBackup.test(text))
  return isOf && after.length > 0 && sum(after) * 3 <= sum(before) ? after[0] : undefined
}

/** The first removed line that did something of which nothing that comes does anything. */
const findLost = (
  file: DiffFile,
  { done, still = done, matters, aside }: Concern,
  whole: string,
): Line | undefined => {
  if (still.test(whole)) return undefined
  const line = changedLines(file, 'removed').find(
    ({ text }) =>
      done.test(text) &&
      !aside?.test(text) &&
      !/^\s*(?:import|from|use|using|require|#include|const\s+\w+\s*=\s*require)\b/.test(text),
  )
  if (!line) return undefined
  const after = codeAfter(file)
  return matters && !after.some(({ text }) => matters.test(text)) ? undefined : line
}

export const lostFacts: readonly Detector[] = [
  actFact({
    id: 'code-protection-lost',
    see: ({ files }) => {
      const whole = files
        .flatMap(file => changedLines(file, 'added'))
        .map(({ text }) => text.replace(turnedOff, ''))
        .join('\n')
      return files.flatMap((file): Fact[] => {
        const removed = file.isDeleted ? [] : changedLines(file, 'removed')
        if (removed.length === 0 || !stillWorks(file)) return []
        const fewer = keepsFewer(file)
        if (fewer) return [{ detail: `Hardly any copies are kept: ${excerpt(fewer)}`, place: fewer.place }]
        const condition = lostCondition(file)
        if (condition)
          return [
            { detail: `It changes rows that were left alone: ${excerpt(condition)}`, place: condition.place },
          ]
        return concerns.flatMap((concern): Fact[] => {
          const line = findLost(file, concern, whole)
          return line
            ? [{ detail: `It no longer sees to ${concern.name}: ${excerpt(line)}`, place: line.place }]
            : []
        })
      })
    },
  }),
]
