import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, codeAfter, diff, excerpt } from './code-lines.ts'

const unlocks =
  /\b\w{0,40}(?:unlock|Unlock|UNLOCK|mutex_exit|LeaveCriticalSection|_release)\w{0,30}\s*\(|\.release\(\)/
const locks =
  /\b\w{0,40}(?:(?<!un|Un)lock|(?<!Un)Lock|LOCK|mutex_enter|EnterCriticalSection|_acquire)\w{0,30}\s*\(|\.acquire\(\)/
const leavesEarly = /^\s*(?:return|goto|break|throw|raise)\b/

/** A way out of what is locked, by which the lock stays closed: its unlock was taken out. */
const keepsLock = (file: DiffFile): Line | undefined => {
  const { lines } = file
  return lines.find((line, nth) => {
    if (line.change !== 'removed' || line.isComment || !unlocks.test(line.text)) return false
    const after = lines.slice(nth + 1, nth + 4).filter(({ change }) => change !== 'removed')
    if (!after.slice(0, 2).some(({ text }) => leavesEarly.test(text))) return false
    const before = lines.slice(Math.max(0, nth - 15), nth).filter(({ change }) => change !== 'removed')
    const near = [...before.slice(-3), ...after.slice(0, 1)]
    return (
      before.some(({ text }) => locks.test(text) && !unlocks.test(text)) &&
      !near.some(({ text }) => unlocks.test(text)) &&
      !codeAfter(file).some(({ text }) =>
        /\bdefer\b|lock_guard|unique_lock|scoped_lock|\bguard\(|\busing\s*\(|\bwith\b|finally|goto\s+\w*(?:unlock|out|err)/i.test(
          text,
        ),
      )
    )
  })
}

const isSystemsCode = /\.(?:c|h|cc|cpp|cxx|hpp|m|mm|go)$/
const asksForNull =
  /(?<![\w!])!\s*([A-Za-z_]\w{0,40}(?:(?:->|\.)\w{1,40}){0,3})(?![\w(.]|->)|([A-Za-z_]\w{0,40}(?:(?:->|\.)\w{1,40}){0,3})\s*[!=]=\s*(?:NULL|nullptr|nil)\b/g

/** A pointer that was asked for before, and is used without now. */
const usesUnasked = (file: DiffFile): { line: Line; name: string } | undefined => {
  if (!isSystemsCode.test(file.name)) return undefined
  const after = codeAfter(file)
  const asked = new Set(
    after.flatMap(({ text }) => [...text.matchAll(asksForNull)].map(([, a, b]) => a ?? b ?? '')),
  )
  for (const line of changed(file, 'removed')) {
    if (!/\b(?:if|while|assert|\w*BUG_ON|return)\b|\?/.test(line.text)) continue
    for (const [, a, b] of line.text.matchAll(asksForNull)) {
      const name = a ?? b ?? ''
      if (/^(?:err|error|ret|status|rc|ok|res|found|done)$/.test(name) || asked.has(name)) continue
      const uses = new RegExp(
        `(?<![\\w.>])${name.replaceAll('.', '\\.')}(?:->|\\.|\\[|\\s*[,)])|\\*${name.replaceAll('.', '\\.')}\\b`,
      )
      const at = file.lines.indexOf(line)
      const isUsed = file.lines
        .slice(at + 1, at + 40)
        .some(
          ({ change, text, isComment }) =>
            change !== 'removed' && !isComment && uses.test(text) && !/\bfree\(/.test(text),
        )
      if (isUsed) return { line, name }
    }
  }
  return undefined
}

const pastEnd: readonly RegExp[] = [
  /\bfor\s*\([^;\n]{0,80}\b(\w{1,20})\s*=[^;\n]{0,40};\s*\1\s*<=\s*[\w.>()-]{0,60}(?:length|size\(\)|Length|Count|count\(\)|len\([^)\n]{0,40}\)|\bn(?:items|elem\w*)?)\s*;/,
  /\bfor\s+(\w{1,20})\s*:=[^;\n]{0,40};\s*\1\s*<=\s*len\([^)\n]{0,40}\)\s*;/,
  /\bfor\s+(\w{1,20})\s+in\s+range\(\s*(?:\d{1,3}\s*,\s*)?len\([^)\n]{0,40}\)\s*\+\s*1\s*\)/,
  /\bfor\s+(\w{1,20})\s+in\s+\d{1,3}\s*\.\.=\s*\w[\w.]{0,40}\.len\(\)/,
  /\bfor\s+(\w{1,20})\s+in\s+\d{1,3}\s*\.\.\.\s*\w[\w.]{0,40}\.count\b/,
]

/** A loop that takes one more than there are. */
const goesPastEnd = (file: DiffFile): Line | undefined => {
  const after = codeAfter(file)
  return after.find((line, nth) => {
    if (line.change !== 'added') return false
    const name = pastEnd.flatMap(pattern => pattern.exec(line.text)?.[1] ?? [])[0]
    return (
      name !== undefined &&
      // Within it, the last one is told apart.
      !after
        .slice(nth + 1, nth + 8)
        .some(({ text }) => new RegExp(`\\b${name}\\s*(?:<|[!=]==?)|\\b${name}\\s*-\\s*1\\b`).test(text)) &&
      after
        .slice(nth, nth + 8)
        .some(({ text }) =>
          new RegExp(`[\\w)\\]](?:\\[|\\.(?:get|at|elementAt|charAt)\\()\\s*${name}\\s*[\\])]`).test(text),
        )
    )
  })
}

const unchecked =
  /\b(?:get_unchecked(?:_mut)?|from_utf8_unchecked|unwrap_unchecked|from_raw_parts(?:_mut)?|transmute(?:_copy)?|assume_init|set_len|unreachable_unchecked|unsafelyUnwrapped|unsafeBitCast|assumingMemoryBound|unsafe\.(?:Slice|String|Pointer|StringData|SliceData)|Unsafe\.(?:Read\w*|As|Add|AsRef)|MemoryMarshal\.\w+|sun\.misc\.Unsafe)\b/
const bounds =
  /\b(?:get|get_mut|checked_\w+|try_into|from_utf8|split_at_checked|first|last|slice|ok_or|copy_from_slice|chunks\w*|as_chunks)\b|\blen\(|\.length\b|\bif\b[^\n]{0,80}[<>]/i

/** Memory that is read by a length that nobody compared with what there is. */
const readsUnchecked = (file: DiffFile): Line | undefined => {
  const line = changed(file, 'added').find(({ text }) => unchecked.test(text))
  if (!line || !changed(file, 'removed').some(({ text }) => bounds.test(text) && !unchecked.test(text)))
    return undefined
  const after = codeAfter(file)
  const at = after.indexOf(line)
  const before = file.lines.slice(Math.max(0, file.lines.indexOf(line) - 8), file.lines.indexOf(line) + 1)
  return before.some(({ change, text }) => change !== 'removed' && /SAFETY:/.test(text)) &&
    after
      .slice(Math.max(0, at - 8), at)
      .some(({ text }) => /\bassert!?\w*|\bif\b[^\n]{0,80}[<>]|ensure!|guard\b/.test(text))
    ? undefined
    : line
}

const shellLine =
  /(?:\bCommand::new\(\s*"(?:\/bin\/)?(?:ba|z|da)?sh"\s*\)|["'](?:\/bin\/)?(?:ba|z|da)?sh["']\s*,)[^\n]{0,60}["'](?:-\w{0,3}c)["'](?:\.to_string\(\))?\s*\)?\s*[,.]\s*(?:arg\(\s*)?&?\[?(?!["'`][^"'`$]*["'`]\s*[)\]])(\w+|format!|`|f["'])|\bcmd(?:\.exe)?["']\s*,\s*\$?"?\/c[^\n]{0,40}(?:\+\s*\w|\{\w)/

/** A line for a shell that is put together elsewhere, or beside. */
const runsBuiltLine = (file: DiffFile): Line | undefined => {
  const after = codeAfter(file)
  return after.find(line => {
    const name = line.change === 'added' ? shellLine.exec(line.text) : null
    if (!name) return false
    const given = name[1]
    if (given === undefined || !/^\w+$/.test(given)) return true
    // A constant may be run.
    return !after.some(({ text }) =>
      new RegExp(`\\b${given}\\b[^=\\n]{0,30}=\\s*["'][^"'{$]*["']\\s*;?\\s*$`).test(text),
    )
  })
}

type Fault = readonly [find: (file: DiffFile) => Line | undefined, detail: string]

const faults: readonly Fault[] = [
  [keepsLock, 'A way out leaves the lock closed'],
  [file => usesUnasked(file)?.line, 'It is used although it may be nothing'],
  [goesPastEnd, 'It takes one more than there are'],
  [readsUnchecked, 'It reads memory unchecked'],
  [runsBuiltLine, 'It puts values into a command line'],
]

export const faultRules: readonly Rule[] = [
  wholeRule({
    id: 'code-faults',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep the check, release what is held on every way out, and give programs their arguments one by one.',
    hits: [
      diff('Sum.java', '+    for (int i = 0; i <= items.size(); i++) sum += items.get(i).cents();'),
      diff(
        'irq.c',
        ' 	spin_lock(&p->lock);',
        ' 	if (!status) {',
        '-		spin_unlock(&p->lock);',
        ' 		return IRQ_NONE;',
        ' 	}',
      ),
      diff(
        'cache.go',
        ' 	c.mu.Lock()',
        ' 	if c.closed {',
        '-		c.mu.Unlock()',
        ' 		return ErrClosed',
        ' 	}',
      ),
      diff(
        'port.c',
        '-	if (!status || !port->tty)',
        '+	if (!status)',
        ' 		return;',
        ' 	receive(port, port->tty, status);',
      ),
      diff('node.cpp', '-  if (next == nullptr) return;', '+  // always there', '   next->run();'),
      diff('sum.ts', '+  for (let i = 0; i <= lines.length; i++) t += lines[i].price'),
      diff('sum.go', '+	for i := 0; i <= len(rows); i++ {', '+		total += rows[i].Sum', '+	}'),
      diff(
        'frame.rs',
        '-    let body = buf.get(2..2 + len).ok_or(Short)?;',
        '+    let body = unsafe { buf.get_unchecked(2..2 + len) };',
      ),
      diff(
        'dump.rs',
        '+    let line = format!("pg_dump {db} > {out}");',
        '+    Command::new("sh").arg("-c").arg(line).spawn()?;',
      ),
      diff('run.ts', '+spawn("sh", ["-c", command])'),
    ],
    misses: [
      diff(
        'runs.ts',
        '+  for (let at = 1; at <= s.length; at++) {',
        '+    if (at < s.length && s[at] === p) continue',
      ),
      diff(
        'irq.c',
        ' 	spin_lock(&p->lock);',
        ' 	if (!status) {',
        ' 		spin_unlock(&p->lock);',
        '-		p->spurious++;',
        ' 		return IRQ_NONE;',
        ' 	}',
      ),
      diff(
        'cache.go',
        ' 	c.mu.Lock()',
        '+	defer c.mu.Unlock()',
        ' 	if c.closed {',
        '-		c.mu.Unlock()',
        ' 		return ErrClosed',
        ' 	}',
      ),
      diff(
        'port.c',
        '-	if (!port->tty)',
        '+	if (port->tty == NULL)',
        ' 		return;',
        ' 	receive(port->tty);',
      ),
      diff('sum.ts', '+  for (let i = 1; i <= lines.length; i++) t += lines[i - 1].price'),
      diff(
        'frame.rs',
        '-    let body = unsafe { buf.get_unchecked(2..2 + len) };',
        '+    let body = buf.get(2..2 + len).ok_or(Short)?;',
      ),
      diff('run.ts', '+spawn("sh", ["-c", "exec ./start.sh"])'),
    ],
    see: ({ files }) =>
      files.flatMap(file =>
        file.isDeleted
          ? []
          : faults.flatMap(([find, detail]): Hit[] => {
              const line = find(file)
              return line ? [{ detail: `${detail}: ${excerpt(line)}`, place: line.place }] : []
            }),
      ),
  }),
]
