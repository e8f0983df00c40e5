import type { Act } from '../act.ts'
import codeTable from '../data/code.json' with { type: 'json' }
import type { Line } from '../read/lines.ts'
import { actFact, type Detector, type Fact, lineFact, parsePattern } from './fact.ts'
import type { Effect, Scope } from './table.ts'

const isNewCode = ({ change, isComment, isProse, file }: Line): boolean =>
  (change === 'added' || (change === 'plain' && file === '')) && !isComment && !isProse

type Row = { pattern: RegExp; detail: string; scope: Scope | undefined }

const rowsByEffect = new Map<Effect, Row[]>()
for (const { effect, pattern, detail, scope } of codeTable) {
  const rows = rowsByEffect.get(effect as Effect) ?? []
  rows.push({ pattern: parsePattern(pattern), detail, scope: scope as Scope | undefined })
  rowsByEffect.set(effect as Effect, rows)
}

/** Public by design: health checks and the way in. */
const publicRoute =
  /\b\w*(?:health|live(?:ness|z)|ready(?:z|ness)|ping|status|version|robots|favicon|well-known|jwks|log_?in|sign_?(?:in|up)|register|forgot)/i

/** True when an exemption is for one route that is public by design: one of the next lines, or its file, names it. */
const isPublicRoute = (line: Line, { lines }: Act): boolean => {
  if (!/AllowAnonymous|AllowAny|PermitAll/i.test(line.text)) return false
  const at = lines.indexOf(line)
  const after = lines.slice(at + 1, at + 8).filter(({ change }) => change !== 'removed')
  const routes = after.filter(({ text }) => /Route|Http(?:Get|Post)|Mapping|@(?:Get|Post|Path)\b/.test(text))
  return (
    !after.some(({ text }) => /Http(?:Put|Delete|Patch)|@(?:Put|Delete|Patch)|admin/i.test(text)) &&
    (routes.some(({ text }) => publicRoute.test(text)) ||
      (routes.every(({ text }) => !/["']/.test(text)) && publicRoute.test(line.file)))
  )
}

/** A stand-in for another service, which answers with what is written in it. */
const mockFile = /(?:^|[/._-])(?:mocks?|fakes?|stubs?|storybook|playground|fixtures?)(?:$|[/._-])/i

const isExempt = (effect: Effect, line: Line, act: Act): boolean =>
  (effect === 'code-open-web' && mockFile.test(line.file)) ||
  (effect === 'code-auth-bypassed' && isPublicRoute(line, act))

const tableFacts = [...rowsByEffect].map(
  ([effect, rows]): Detector =>
    lineFact({
      id: effect,
      where: isNewCode,
      see(line, act) {
        const row = rows.find(({ pattern }) => pattern.test(line.text))
        if (!row || isExempt(effect, line, act)) return undefined
        const scope = line.isTest ? 'guarded' : row.scope
        return { detail: row.detail, ...(scope && { scope }) }
      },
    }),
)

export const codeFacts: readonly Detector[] = [
  ...tableFacts,
  actFact({
    id: 'code-hidden-characters',
    see: ({ lines }) =>
      lines
        .filter(({ change }) => change !== 'removed' && change !== 'context')
        .flatMap(({ text, place }): Fact[] => {
          if (/[\u202a-\u202e\u2066-\u2069]/.test(text))
            return [{ detail: 'Characters turn the order of the text around.', place }]
          return /[A-Za-z][\u200b\u2060\ufeff]|[\u200b\u2060\ufeff][A-Za-z]|[A-Za-z]\u200c[A-Za-z]|[\u{e0020}-\u{e007f}]{3}/u.test(
            text,
          )
            ? [{ detail: 'Characters that cannot be seen stand in it.', place, scope: 'partial' }]
            : []
        }),
  }),
]
