import type { Act } from '../act.ts'
import codeTable from '../data/code.json' with { type: 'json' }
import type { DiffFile, Line } from '../read/lines.ts'
import { changedLines, codeAfter, excerpt } from './code-lines.ts'
import { actFact, type Detector, type Fact, lineFact, parsePattern, wide } from './fact.ts'
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

/** Dropping tables and columns, and deleting all records, in the languages of migrations and models. */
const dropCall =
  /\b(?:remove_column|drop_table|dropTable(?:IfExists)?|dropColumn|removeColumn|drop_column|RemoveField|DeleteModel|drop_join_table|DropTable|DropColumn|dropDatabase|dropCollection)\b\s*\(?\s*[:"'(\w]/
const declaration =
  /^\s*(?:(?:public|private|protected|static|async|export|function|def|func|fn)\s+)*\w+\([^)]*\w\s*:\s*\w[^)]*\)\s*(?::\s*[\w<>[\]]+\s*)?\{\s*$|^\s*(?:def|func|function|fn)\b/
const deleteAllCall =
  /\.(?:deleteMany|destroy|delete_many|remove)\(\s*\{?\s*(?:\{\s*\}|where\s*:\s*\{\s*\}|truncate\s*:\s*true)\s*\}?\s*\)|\.objects\.all\(\)\.delete\(\)|\.all\.(?:delete|destroy)_all\b|\b[A-Z]\w+\.(?:delete|destroy)_all\b|\.query\(\w+\)\.delete\(\)/
const systemRemoval =
  /(?:rmtree|rmSync|rm_rf|rimraf(?:\.sync)?|removeAll|delete_dir)\s*\(\s*["'](?:\/|~|\/(?:etc|home|usr|var|srv|root)[^"']{0,20})["']/

const upMigration =
  /\b(?:exports?\.up|(?:def|function|async|public|void|static)\s+(?:up(?:grade)?|change)\b|\bUp\(|(?:^|\s)up\s*[:(=])/
const downMigration =
  /\b(?:exports?\.(?:down|rollback)|(?:def|function|async|public|void|static)\s+(?:down(?:grade)?|rollback)\b|\bDown\(|(?:^|\s)down\s*[:(=])/

const isInRollback = (line: Line, { lines }: Act): boolean => {
  const start = lines.indexOf(line)
  for (let at = start; at >= 0 && at > start - 200; at--) {
    const { text = '', file } = lines[at] ?? {}
    if (file !== line.file || upMigration.test(text)) return false
    if (downMigration.test(text)) return true
  }
  return false
}

/** True when what is dropped was made in the same file of the same change. */
const isMadeHere = (text: string, { lines }: Act): boolean => {
  const target = text
    .match(/(?<=[:"'`(\s,])[a-z_]\w{2,}(?=["'`)\s,;]|$)/gi)
    ?.filter(name => !/^(?:drop|remove|table|column|users?_id)$/i.test(name))
    .at(-1)
    ?.toLowerCase()
  return (
    target !== undefined &&
    lines.some(
      line =>
        line.change === 'added' &&
        /\b(?:create_table|createTable|CREATE\s+TABLE|add_column|addColumn|ADD\s+COLUMN)\b/i.test(
          line.text,
        ) &&
        line.text.toLowerCase().includes(target),
    )
  )
}

const dangerWord =
  /fault|door|e_?stop|smoke|flame|leak|obstacle|presence|over(?:temp|load|current|pressure|speed|heat|draft|flow)|under(?:volt|flow)|\bmax|\bmin|_max|_min|max_|min_|limit|alarm|interlock|unsafe|safe|watchdog|emergency|pressure|temp|level|threshold|stale|expired|exceed|invalid|mismatch|duplicate|already|empty|insufficient|balance|locked|frozen|blocked|consent|allergy|contraindicat|\bnull\b|\bNone\b|\bnil\b|<|>|!=/i
const stopWord =
  /\b(?:return|throw|raise|abort|panic|break|continue|halt|exit|trip|shutdown|stop|off|reject|refuse|disable|kill|alarm|emergency)|_off\b|_stop\b|shut_?off|\boff\(|:=\s*FALSE\b/i
const conditionHead = /^\s*(?:\}\s*)?(?:else\s+)?(?:if|IF|unless|guard)\b/

/** Conditions that stopped something, of whose names nothing that comes asks any more. */
const lostStops = (file: DiffFile): Line | undefined => {
  if (file.isDeleted || file.lines.some(({ isTest, isProse }) => isTest || isProse)) return undefined
  const added = changedLines(file, 'added')
    .map(({ text }) => text)
    .join('\n')
  return file.lines.find((line, nth) => {
    if (line.change !== 'removed' || line.isComment || !conditionHead.test(line.text)) return false
    const condition = line.text.replace(conditionHead, '').replace(/\bTHEN\b.*$/, '')
    if (!dangerWord.test(condition)) return false
    const rest = file.lines.slice(nth, nth + 8)
    const end = rest.findIndex(({ change }) => change !== 'removed')
    const block = end < 0 ? rest : rest.slice(0, end)
    const every = [...condition.matchAll(/[A-Za-z_]\w{2,}/g)].map(([name]) => name)
    // A bound in capitals is what stops it, whatever else the condition asks.
    const bounds = every.filter(name => /^(?!NULL$|TRUE$|FALSE$)[A-Z][A-Z\d_]{3,}$/.test(name))
    const names = bounds.length > 0 ? bounds : every
    return (
      block.some(({ text }) => stopWord.test(text.replace(condition, ''))) &&
      names.length > 0 &&
      !names.some(name => added.includes(name))
    )
  })
}

const unverifiedToken =
  /\bJWT\.decode\([^\n]{0,120},\s*(?:nil|[\w.]{1,40})\s*,\s*false\b|\bjwt\.decode\([^\n]{0,160}\bverify\s*=\s*False|ParseUnverified\(|decode_?without_?verif\w*|\b(?:dangerous_)?insecure_?(?:decode|disable_signature)\w*|\bReadJwtToken\(|\bValidate(?:Issuer(?:SigningKey)?|Lifetime|Audience)\s*=\s*false|\bRequire(?:Signed|Expiration)\w*\s*=\s*false|["']?verify_(?:aud|iss|exp|nbf|signature)["']?\s*(?::|=>|=)\s*(?:False|false)|\bvalidate_(?:exp|aud|nbf)\s*=\s*false|\.unsecured\(\)|\bparseClaimsJwt\(|SignatureAlgorithm\.NONE|\balg["']?\s*[:=]\s*["']none["']/
const tokenVerification =
  /\b(?:jwt|JWT|jose|jsonwebtoken|token\w*)\.(?:verify|jwtVerify)\w*\(|\bjwtVerify\(|\bverifyIdToken\(|\bverify_(?:id_)?token\(|\bValidateToken\(|\bparseClaimsJws\(|\bparseSignedClaims\(/
const tokenDecoding =
  /\b(?:jwt|JWT|jose|jsonwebtoken)\.decode\w*\(|\bjwt_?[dD]ecode\(|\bdecodeJwt\(|\batob\(\s*\w+\.split|\bsplit\(\s*["']\.["']\s*\)\s*\[\s*1\s*\]/

/** A token that is believed unchecked. */
const uncheckedToken = (file: DiffFile): Line | undefined => {
  const added = changedLines(file, 'added')
  const line = added.find(({ text }) => unverifiedToken.test(text))
  if (line) return line
  const isLost =
    changedLines(file, 'removed').some(({ text }) => tokenVerification.test(text)) &&
    !codeAfter(file).some(({ text }) => tokenVerification.test(text))
  return isLost ? added.find(({ text }) => tokenDecoding.test(text)) : undefined
}

/** A finding for each file in which a line is found. */
const fileFact = (id: Effect, name: string, find: (file: DiffFile) => Line | undefined): Detector =>
  actFact({
    id,
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        const line = find(file)
        return line ? [{ detail: `${name}: ${excerpt(line)}`, place: line.place }] : []
      }),
  })

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
  lineFact({
    id: 'code-drops-data',
    where: isNewCode,
    see(line, act) {
      const { text, isTest } = line
      // Commands are judged as such.
      if (isTest || act.kind === 'commands') return
      if (dropCall.test(text) && !declaration.test(text))
        return (
          !isInRollback(line, act) &&
          !isMadeHere(text, act) &&
          'It drops a table or column with what is in it.'
        )
      if (deleteAllCall.test(text)) return 'It deletes all records.'
      return systemRemoval.test(text) && wide('It deletes a directory of the system.')
    },
  }),
  fileFact('code-safety-stop-gone', 'What stopped it is gone', lostStops),
  fileFact('code-token-unchecked', 'A token is believed unchecked', uncheckedToken),
]
