import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { diff, isCode } from './code-lines.ts'

const codeOf = (file: DiffFile, change: Line['change']): Line[] =>
  file.lines.filter(line => line.change === change && isCode(line))

/** Work whose failure somebody has to hear of. */
const weighty =
  /\b\w*(?:settle|pay|charge|captur|refund|transfer|credit|debit|ledger|withdraw|commit|save|insert|update|write|persist|publish|send|deliver|verif|validat|audit|backup|sync|total|count|vote|dose|alarm|parse|import|process|migrat|order|invoice|stock|append|extend|upload|store|exec)\w*/i
/** Work of which a failure changes nothing: closing, clearing, measuring. */
const light =
  /\b\w*(?:close|cleanup|clean_up|unlink|rmdir|cancel|disconnect|metric|analytics|telemetry|statsd|cache|shutdown|dispose|teardown|log(?:ger)?\.|mkdir|unsubscribe|FileNotFound|FileExists|ENOENT|KeyError|ProcessLookup|NotFound|AbortError|Interrupted|StopIteration|Empty\b|DuplicateKey|AlreadyExists|UniqueViolation|ImportError|ModuleNotFound)\w*/i

const catchStart =
  /^\s*(?:\}\s*)?(?:catch\b|except\b(?:\s+(?:Base)?Exception\b)?[^:]*:|rescue\b)|\.catch\(\s*(?:\(\w*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined|void 0)\s*\)/
const carriesOn =
  /^\s*(?:pass|continue;?|nil|next|\}|end|\/[/*].*|#.*|\{|;|return\s*;?|return\s+(?:null|nil|None|undefined)\s*;?)\s*$/

const indentOf = (text: string): number => /^\s*/.exec(text)?.[0].length ?? 0

/** Whether a failure only leads to the next of so many attempts, after the last of which it is told. */
const isTriedAgain = (lines: readonly Line[], nth: number): boolean => {
  const before = lines.slice(Math.max(0, nth - 12), nth).filter(({ change }) => change !== 'removed')
  const loop = before.findLast(({ text }) =>
    /^\s*(?:for|while|loop|until|\d+\.times|repeat)\b.*(?:attempt|tr(?:y|ies)|retr|delay|backoff|wait|\d)/i.test(
      text,
    ),
  )
  if (!loop) return false
  return lines
    .slice(nth + 1, nth + 20)
    .some(
      ({ change, text }) =>
        change !== 'removed' &&
        indentOf(text) <= indentOf(loop.text) &&
        /^\s*(?:raise|throw|panic|return\s+.{0,40}(?:[Ee]rr|fail)|.{0,40}dead_?letter|\w+\.(?:error|critical)\()/.test(
          text,
        ),
    )
}

/** The catch that an added block ends in, when it holds nothing but words. */
const findSwallowed = (file: DiffFile): Line | undefined => {
  const { lines } = file
  for (const [nth, line] of lines.entries()) {
    if (line.change !== 'added' || !isCode(line)) continue
    // An error that Go code gives away: `_, _ = db.Exec(…)`.
    if (
      /^\s*_(?:\s*,\s*_)?\s*:?=\s*\w[\w.]*\(/.test(line.text) &&
      weighty.test(line.text) &&
      !light.test(line.text)
    )
      return line
    if (!catchStart.test(line.text) || light.test(line.text)) continue
    const isInline = /\.catch\(|catch\b[^{]*\{\s*\}|:\s*(?:pass|continue)\s*$/.test(line.text)
    const block: Line[] = []
    for (const next of lines.slice(nth + 1, nth + 7)) {
      if (next.change === 'removed') continue
      block.push(next)
      if (/^\s*(?:\}|end\b)/.test(next.text)) break
      if (/^\s*(?:pass|continue)\s*$/.test(next.text)) break
    }
    const isEmpty =
      isInline ||
      (block.length > 0 &&
        block.every(({ text, isComment }) => isComment || text.trim() === '' || carriesOn.test(text)))
    if (!isEmpty || isTriedAgain(lines, nth)) continue
    const before = lines.slice(Math.max(0, nth - 6), nth + 1).filter(({ change }) => change !== 'removed')
    const body = before.filter(({ isComment }) => !isComment).map(({ text }) => text)
    if (body.some(text => weighty.test(text)) && !body.slice(-2).some(text => light.test(text))) return line
  }
  return undefined
}

const acknowledges =
  /\b(?:commit(?:Sync|Async|_offsets?)?|ack(?:nowledge)?|basicAck|delete_?message|mark_?(?:as_?)?(?:done|processed|read|paid)|xack|complete)\s*\(/i
const handles =
  /\b(?:for\b|process\w*|settle\w*|handle\w*|deliver\w*|charge\w*|apply\w*|save\w*|insert\w*|send\w*)/i

/** Beyond so many lines one thing is not looked for beside another. */
const maxDistance = 60
const maxCompared = 300

/** What is acknowledged before it is done, where it was done first. */
const findEarlyAck = (file: DiffFile): Line | undefined => {
  const { lines } = file
  for (const [nth, line] of lines.entries()) {
    if (line.change !== 'added' || !isCode(line) || !acknowledges.test(line.text)) continue
    const after = lines.slice(nth + 1, nth + 1 + maxDistance)
    const later = after.findIndex(
      other => other.change === 'removed' && other.text.trim() === line.text.trim(),
    )
    if (later > 0 && after.slice(0, later).some(({ text }) => handles.test(text))) return line
  }
  return undefined
}

const squeeze = (text: string): string => text.replace(/\s+/g, '')

/** A bound that a comment calls inclusive, and that no longer is. */
const findLastLeftOut = (file: DiffFile): Line | undefined => {
  const isInclusive = file.lines.some(
    ({ change, text }) =>
      change !== 'removed' &&
      /\b(?:inclusive(?:ly)?|including\s+the\s+last|1\s?\.\.\s?\w+|from\s+1\s+to|last\s+(?:page|row|item|day|one)\s+too|numbered\s+from\s+1|1-based)\b/i.test(
        text,
      ),
  )
  if (!isInclusive) return undefined
  const removed = codeOf(file, 'removed')
    .slice(0, maxCompared)
    .map(({ text }) => squeeze(text))
  return codeOf(file, 'added')
    .slice(0, maxCompared)
    .find(({ text }) => {
      const now = squeeze(text)
      return removed.some(
        was =>
          was !== now &&
          (was.replace(/\+1(?=[),:\]])/, '') === now ||
            was.replace('<=', '<') === now ||
            was.replace('>=', '>') === now ||
            was.replace('..=', '..') === now),
      )
    })
}

const numbersIn = (text: string): string[] => text.match(/(?<![\w.])\d{2,9}(?![\w.])/g) ?? []

/** A number that a comment, a docstring or a name nearby gives, and that the code no longer has. */
const findUnlikeItsWords = (file: DiffFile): Line | undefined => {
  const words = file.lines
    .filter(
      ({ change, text, isComment }) =>
        change === 'context' && (isComment || /"""|'''|^\s*\*|\/\/|#\s/.test(text)),
    )
    .map(({ text }) => text)
    .join('\n')
    .slice(0, 4000)
  if (words === '') return undefined
  const removed = codeOf(file, 'removed')
  const added = codeOf(file, 'added').slice(0, maxCompared)
  for (const [nth, line] of added.entries()) {
    const was = removed[nth]
    if (!was) continue
    const before = numbersIn(was.text)
    const after = numbersIn(line.text)
    const gone = before.find(value => !after.includes(value))
    const come = after.find(value => !before.includes(value))
    const isSame = squeeze(was.text).replace(/\d+/g, '#') === squeeze(line.text).replace(/\d+/g, '#')
    if (
      gone !== undefined &&
      come !== undefined &&
      isSame &&
      new RegExp(`(?<!\\d)${gone}(?!\\d)`).test(words) &&
      !new RegExp(`(?<!\\d)${come}(?!\\d)`).test(words)
    )
      return line
  }
  return undefined
}

/** What a change loses without a word: errors, order, the last of a row, what its own comment says. */
export const lossRules: readonly Rule[] = [
  wholeRule({
    id: 'code-swallows-errors',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Let the error out, or write down what failed and stop there.',
    hits: [
      diff(
        'pay.ts',
        '   try {',
        '     await gateway.capture(id)',
        '+  } catch {',
        '+    // ignore',
        '   }',
        '   await markPaid(id)',
      ),
      diff(
        'tally.py',
        '+        try:',
        '+            totals[row.name] += row.votes',
        '+        except Exception:',
        '+            continue',
      ),
      diff('ledger.go', '+	_, _ = s.db.ExecContext(ctx, creditSQL, cents, to)'),
      diff('sync.rb', '+    begin', '+      invoice.save!', '+    rescue => e', '+      nil', '+    end'),
    ],
    misses: [
      diff('pay.ts', '+  } catch (error) {', '+    await markFailed(id)', '+    throw error', '+  }'),
      diff(
        'files.py',
        '+    try:',
        '+        os.unlink(path)',
        '+    except FileNotFoundError:',
        '+        pass',
      ),
      diff('close.go', '+	_ = conn.Close()'),
      diff(
        'pay.py',
        '+    for delay in (0, 2, 8):',
        '+        try:',
        '+            return gateway.charge(order, key=order.id)',
        '+        except Timeout:',
        '+            continue',
        '+    raise ChargeFailed(order.id)',
      ),
      diff('pay.ts', '-  } catch {', '-    // ignore', '-  }'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = file.isDeleted ? undefined : findSwallowed(file)
        return line
          ? [{ detail: `A failure goes unheard: ${line.text.trim().slice(0, 60)}`, place: line.place }]
          : []
      }),
  }),
  wholeRule({
    id: 'code-acknowledges-early',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Acknowledge what is done, after it is done.',
    hits: [
      diff(
        'Consumer.java',
        '     var records = consumer.poll(wait);',
        '+    consumer.commitSync();',
        '     for (var r : records) {',
        '       settle(r);',
        '     }',
        '-    consumer.commitSync();',
      ),
      diff(
        'worker.py',
        '+    channel.basic_ack(tag)',
        '+    message.ack()',
        '     handle(message)',
        '-    message.ack()',
      ),
    ],
    misses: [
      diff(
        'Consumer.java',
        '-    consumer.commitSync();',
        '     for (var r : records) {',
        '       settle(r);',
        '     }',
        '+    consumer.commitSync();',
      ),
      diff('worker.py', '     handle(message)', '+    message.ack()'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = findEarlyAck(file)
        return line
          ? [
              {
                detail: `It is acknowledged before it is done: ${line.text.trim().slice(0, 60)}`,
                place: line.place,
              },
            ]
          : []
      }),
  }),
  wholeRule({
    id: 'code-unlike-its-words',
    category: 'code',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Change the comment with the code, or keep the value.',
    hits: [
      diff(
        'pages.py',
        ' # pages are numbered 1..n inclusive',
        '-for page in range(1, n + 1):',
        '+for page in range(1, n):',
      ),
      diff(
        'rate.py',
        '     """ACT/360 interest."""',
        '-    return sum * days / Decimal(360)',
        '+    return sum * days / Decimal(36)',
      ),
      diff(
        'loop.go',
        ' // from 1 to last, inclusive',
        '-for i := 1; i <= last; i++ {',
        '+for i := 1; i < last; i++ {',
      ),
    ],
    misses: [
      diff(
        'rate.py',
        '     """ACT/360 interest."""',
        '-    return sum * days / Decimal(36)',
        '+    return sum * days / Decimal(360)',
      ),
      diff(
        'rate.py',
        '     """Interest."""',
        '-    return sum * days / Decimal(365)',
        '+    return sum * days / Decimal(360)',
      ),
      diff('loop.go', '-for i := 0; i <= len(a); i++ {', '+for i := 0; i < len(a); i++ {'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (file.isDeleted || file.lines.some(({ isTest }) => isTest)) return []
        const line = findLastLeftOut(file) ?? findUnlikeItsWords(file)
        return line
          ? [
              {
                detail: `It no longer does what the words beside it say: ${line.text.trim().slice(0, 60)}`,
                place: line.place,
              },
            ]
          : []
      }),
  }),
]
