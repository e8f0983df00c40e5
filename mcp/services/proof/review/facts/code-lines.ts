import type { DiffFile, Line } from '../read/lines.ts'

/** A line that a program runs for somebody, not one of a test. */
const isCode = ({ isComment, isProse, isTest }: Line): boolean => !isComment && !isProse && !isTest

type Changes = Readonly<Record<'added' | 'removed', readonly Line[]>>

const changesByFile = new WeakMap<DiffFile, Changes>()

/** Lines of code that a file gained or lost, looked for once. */
export const changedLines = (file: DiffFile, change: keyof Changes): readonly Line[] => {
  const cached = changesByFile.get(file)
  if (cached) return cached[change]
  const changes = { added: [] as Line[], removed: [] as Line[] }
  for (const line of file.lines)
    if ((line.change === 'added' || line.change === 'removed') && isCode(line))
      changes[line.change].push(line)
  changesByFile.set(file, changes)
  return changes[change]
}

/** The code of a file as it is afterwards. */
export const codeAfter = ({ lines }: DiffFile): Line[] =>
  lines.filter(line => line.change !== 'removed' && isCode(line))

/** A part of a line, for a finding. */
export const excerpt = ({ text }: Line): string => text.trim().slice(0, 80)

export const squeeze = (text: string): string => text.replace(/\s+/g, '')
