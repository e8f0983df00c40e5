import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, codeAfter, diff, excerpt, squeeze } from './code-lines.ts'

/** What is asked when more of it is let through if the answer is yes, and when less is. */
const asksWhetherFine =
  /allow|permit|\bcan_?[A-Z\w]|\bmay_?[A-Z\w]|valid|verif|auth|eligib|\bhas_?[A-Z\w]|is_?(?:adult|safe|trusted|admin|owner|member|paid|signed|clean|approved|fresh|secure|human)|trusted|accept|check|match|approve|consent|in_?stock|available/i
const asksWhetherBad =
  /block|den(?:y|ied)|revoked|expired|banned|locked|sanction|fraud|spam|malicious|suspicious|infect|\bneeds?_?[A-Z\w]|requires?_?[A-Z\w]|must_?[A-Z\w]|should_?(?:ask|confirm|block|stop|alarm)|conflict|exceeded|tamper|overdue|contraindic|allerg|interact|unsafe|danger|duplicate/i

/** Where nothing is known: no value, no answer, an error. */
const unknown =
  /\bnil\b|\bnull\b|\bNone\b|undefined|\berr(?:or)?\b|\bcatch\b|\bexcept\b|\brescue\b|missing|unknown|timeout|empty|absent|blank|unwrap_or|\?\?|getOrDefault|\bdefault\b|\belse\b|^\s*_\s*=>|not_?found/i

const yes =
  /\b(?:true|True|TRUE|ALLOW\w*|Allow(?:ed)?|allow(?:ed)?|PASS|GRANT(?:ED)?|PERMIT|ACCEPT|APPROVED?)\b/
const no =
  /\b(?:false|False|FALSE|DENY|DENIED|Deny|Denied|deny|denied|FAIL|REJECT(?:ED)?|Reject|reject|BLOCK|Block|block|FORBID|REFUSE)\b/

const answers = /\breturn\b|=>|->|unwrap_or|\?\?|\|\||getOrDefault|\bor\b|^\s*(?:true|false)\s*$|default/i

const withoutAnswer = (text: string): string =>
  squeeze(text.replace(new RegExp(yes.source, 'g'), '¤').replace(new RegExp(no.source, 'g'), '¤'))

/** The name of what a line is within: the nearest definition before it, or what stands beside the numbers of the hunk. */
const nameAround = (file: DiffFile, line: Line): string => {
  const at = file.lines.indexOf(line)
  const definition = file.lines
    .slice(Math.max(0, at - 40), at + 1)
    .findLast(
      ({ change, text }) =>
        change !== 'removed' &&
        /\b(?:def|func|function|fn|fun|sub|proc|bool(?:ean)?|Boolean|bool|const|public|private|protected)\b[^=;]{0,100}\w+[?!]?\s*[(=]/.test(
          text,
        ) &&
        !/^\s*(?:const|let|var)\b(?!.*=>)/.test(text),
    )
  const text = definition?.text ?? file.heads.join(' ')
  return (
    /(?:\b(?:def|func|function|fn|fun|sub|proc)\s+(?:\([^)]{0,60}\)\s*)?(?:self\.)?|\b)([A-Za-z_]\w{1,60}[?!]?)\s*(?:[(]|=\s*(?:async\s*)?\()/.exec(
      text,
    )?.[1] ?? text
  )
}

/** An answer that was no, and on a line that says the same is yes now; the other way round for what asks after a danger. */
const turned = (file: DiffFile): Line | undefined => {
  const removed = changed(file, 'removed').filter(({ text }) => answers.test(text))
  const wasNo = new Set(removed.filter(({ text }) => no.test(text)).map(({ text }) => withoutAnswer(text)))
  const wasYes = new Set(removed.filter(({ text }) => yes.test(text)).map(({ text }) => withoutAnswer(text)))
  return changed(file, 'added').find(line => {
    const { text } = line
    if (!answers.test(text)) return false
    const [isYes, isNo] = [yes.test(text), no.test(text)]
    if (isYes === isNo) return false
    if (!(isYes ? wasNo : wasYes).has(withoutAnswer(text))) return false
    const name = nameAround(file, line)
    if (asksWhetherBad.test(name)) return isNo
    if (!isYes) return false
    const at = file.lines.indexOf(line)
    const near = file.lines
      .slice(Math.max(0, at - 3), at + 1)
      .filter(({ change }) => change !== 'removed')
      .map(({ text }) => text)
      .join('\n')
    return (
      asksWhetherFine.test(name) &&
      (unknown.test(near) || /\bif\b|\bunless\b/.test(near) || /^\s*return\b/.test(text))
    )
  })
}

/** A failure that was a refusal, and now lets through. */
const passesOnError = (file: DiffFile): Line | undefined => {
  const removed = changed(file, 'removed')
  if (
    !removed.some(
      ({ text }) => no.test(text) || /\b(?:throw|raise|panic|abort|reject)\b|\b(?:401|403|503)\b/.test(text),
    )
  )
    return undefined
  const after = codeAfter(file)
  return after.find((line, nth) => {
    if (line.change !== 'added' || !yes.test(line.text) || !answers.test(line.text)) return false
    const start = after.slice(Math.max(0, nth - 3), nth + 1).map(({ text }) => text)
    return (
      start.some(text =>
        /\bcatch\b|\bexcept\b|\brescue\b|err(?:or)?\s*!=\s*nil|\bErr\(|\.catch\(|onerror|on_error|onFailure/i.test(
          text,
        ),
      ) && asksWhetherFine.test(`${nameAround(file, line)} ${file.name}`)
    )
  })
}

/** A decision of which a refusal or a question was one outcome, and no longer is. */
const noLongerRefuses = (file: DiffFile): Line | undefined => {
  const outcome = (text: string) => /(?:\breturn\b|=>|->|:|=)\s*[\w.:"'\s(]{0,60}$/.test(text)
  const refusal =
    /(?:\b\w+(?:\.|::))["']?(?:DENY|Deny|ASK\w*|Ask\w*|CONFIRM|ESCALATE|REVIEW|REJECT|BLOCK|MANUAL\w*)\b|["'](?:deny|ask|confirm|escalate|review|reject|block|manual(?:_review)?)["']/
  const pass =
    /(?:\b\w+(?:\.|::))(?:ALLOW\w*|Allow\w*|APPROVED?|Approved?|PASS|ACCEPT)\b|["'](?:allow(?:ed)?|approved?|pass|accept)["']/
  const isOutcome = ({ text }: Line, what: RegExp) => {
    const at = text.search(what)
    return at >= 0 && outcome(text.slice(0, at))
  }
  const refusals = (lines: readonly Line[]) => lines.filter(line => isOutcome(line, refusal)).length
  const added = changed(file, 'added')
  return refusals(changed(file, 'removed')) > refusals(added)
    ? added.find(line => isOutcome(line, pass))
    : undefined
}

const asksOrRefuses =
  /^\s*["']?([\w.-]{1,60})["']?\s*[:=]\s*["']?(?:ask|deny|denied|confirm|review|block|reject|prompt|manual|never|forbid)["']?\s*,?\s*$/i
const letsIn =
  /^\s*["']?([\w.-]{1,60})["']?\s*[:=]\s*["']?(?:allow(?:ed)?|auto(?:matic)?|always|accept|approved?|permit|grant)["']?\s*,?\s*$/i

/** A setting by which something was asked for or refused, and that lets it in. */
const settingLetsIn = (file: DiffFile): Line | undefined => {
  const before = new Set(changed(file, 'removed').map(({ text }) => asksOrRefuses.exec(text)?.[1]))
  return changed(file, 'added').find(({ text }) => {
    const name = letsIn.exec(text)?.[1]
    return name !== undefined && before.has(name)
  })
}

const ofSomebody =
  /\b\w{0,20}(?:user|tenant|account|customer|session|member|owner|org)\w{0,10}(?:\.|_?id\b|Id\b)|\{(?:user|tenant|account)/i

/** A key of a cache that no longer says whose the value is. */
const sharesKey = (file: DiffFile): Line | undefined => {
  const nameOf = (text: string) => /\b(\w{0,20}key\w{0,20})["']?\s*:?[:=](?!=)/i.exec(text)?.[1]
  const isCache = /cache|memo|redis|store/i
  const before = new Set(
    changed(file, 'removed').flatMap(({ text }) => (ofSomebody.test(text) ? (nameOf(text) ?? []) : [])),
  )
  const added = changed(file, 'added')
  if (
    before.size === 0 ||
    added.some(({ text }) => ofSomebody.test(text)) ||
    !file.lines.some(({ text }) => isCache.test(text))
  )
    return undefined
  return added.find(({ text }) => before.has(nameOf(text) ?? '') && /["'`]/.test(text))
}

const exact = /\.(?:includes|has|contains|equals?)\(|===?|\bin\b/
const loose =
  /\.(?:startsWith|starts_with|startswith|endsWith|ends_with|endswith|indexOf|search|match)\(|\bHas(?:Prefix|Suffix)\(/
const aboutAddress = /redirect|origin|host|domain|ur[il]|referr?er|callback/i

/** An address that had to be one of a list, and has only to look like one. */
const looksLikeOne = (file: DiffFile): Line | undefined =>
  changed(file, 'removed').some(
    ({ text }) => aboutAddress.test(text) && exact.test(text) && !loose.test(text),
  ) && !changed(file, 'removed').some(({ text }) => loose.test(text))
    ? changed(file, 'added').find(
        ({ text }) =>
          aboutAddress.test(text) &&
          loose.test(text) &&
          /\bif\b|\bunless\b|\breturn\b|\bguard\b|=>/.test(text) &&
          !/[wW]ith\(\s*["'`]\//.test(text),
      )
    : undefined

const privileged = String.raw`["'\`:]?(?:admin(?:istrator)?|root|super_?user|super_?admin|owner|sysadmin|staff)["'\`]?(?![\w-])`
const aboutRole = String.raw`\b\w{0,20}(?:role|is_?admin|is_?staff|is_?superuser|scope|permission|privilege|access_?level)\w{0,10}`

/** A role of might for whoever has none. */
const mightyDefault: readonly RegExp[] = [
  new RegExp(
    `(?:\\?\\?|\\|\\||\\bor\\b|\\?:)\\s*\\(?\\{?[^\\n]{0,60}${aboutRole}["']?\\s*[:=]>?\\s*\\[?(?:${privileged}|true\\b|True\\b)`,
    'i',
  ),
  new RegExp(`${aboutRole}[^\\n=]{0,40}(?:\\?\\?|\\|\\||\\bor\\b|\\?:)=?\\s*${privileged}`, 'i'),
  new RegExp(
    `(?:\\.get|getOrDefault|fetch|getattr|dig|getenv|env)\\w{0,10}\\(\\s*[^)\\n]{0,40}${aboutRole}["']?\\)?\\s*,\\s*${privileged}`,
    'i',
  ),
  new RegExp(
    `${aboutRole}["']?[^\\n]{0,60}\\bdefault(?:Value|_value|_to)?["']?\\s*[:=(]{1,2}\\s*(?:${privileged}|true\\b|True\\b)`,
    'i',
  ),
  /(?:\?\?|\|\||\bor\b)\s*(?:\w+\.)?(?:ADMIN_USER|ROOT_USER|SYSTEM_USER|SUPER_?USER|adminUser|rootUser|systemUser|superUser)\b/,
  /\.(?:is_?)?(?:admin|super_?user|staff)\s*=\s*(?:payload|claims|params|req|request|body|data|profile|user_?info|attrs|input)\b\s*[[.(]/i,
]

const whoIs = String.raw`\b\w{0,20}(?:user|account|customer|member|employee|actor|author|sender|login|e?mail|player|merchant|client|tenant|caller|operator|iban|wallet|address|patient|student|candidate|reviewer)\w{0,20}(?:\??\.\w{1,30}){0,2}(?:\(\))?`
/** A condition on one person or account that the code names. */
const namesSomebody = new RegExp(
  `${whoIs}\\s*(?:[!=]==?|\\beq\\b|\\bne\\b|\\.equals\\(|\\.(?:starts|ends)_?[Ww]ith\\(|(?:not\\s+)?in\\s*[(\\[{])\\s*["'\`]([^"'\`\\n]{3,60})["'\`]`,
  'i',
)
const kindOf =
  /(?:role|type|status|state|kind|country|plan|tier|currency|lang\w*|locale|provider|level|category|mode|gender|scope|agent|version|platform)\w{0,6}(?:\(\))?\s*(?:[!=]=|\.equals|\bin\b|\beq\b|\bne\b|\bnot\b)/i
/** Somebody's name, address or number, not a kind of users. */
const isSomebody = (value: string): boolean =>
  /[@.\d]|^0x|[a-z]-[a-z]/i.test(value) && !/^\d{1,2}$|^\.|^\w+\.(?:js|ts|json|com)$/i.test(value)

const aboutControl =
  /audit|\blog\w*\b|limit|check|verif|fee|alert|fraud|kyc|aml|sanction|screen|notif|report|deduct|charge|debit|balance|approv|throttl|ban|block|score|grade|tax|penalt|expir|delet|\breturn\s+(?:true|True|next|None|nil|null|;|$)|\bcontinue\b|skip|bypass/i

/** Ways in which a change opens what was closed, to all, to one, or when nothing is known. */
export const opensRules: readonly Rule[] = [
  wholeRule({
    id: 'code-fails-open',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Refuse when nothing is known; let somebody say in the change why what was refused is let through.',
    hits: [
      diff('tools.yaml', '-  send_money: deny', '+  send_money: allow'),
      diff(
        'cache.py',
        '-    key = f"profile:{user.id}"',
        '+    key = "profile"',
        '     return cache.get(key)',
      ),
      diff(
        'oauth.ts',
        '-  if (!client.uris.includes(uri)) throw e',
        '+  if (!client.uris.some(u => uri.startsWith(u))) throw e',
      ),
      diff(
        'age.rb',
        ' def allowed?(birthday)',
        '-  return false if birthday.nil?',
        '+  return true if birthday.nil?',
      ),
      diff(
        'auth.go',
        ' func isAuthorized(u User) bool {',
        '   if err != nil {',
        '-    return false',
        '+    return true',
        '   }',
      ),
      diff(
        'access.rs',
        ' fn can_read(u: &User) -> bool {',
        '-    acl.get(u).unwrap_or(false)',
        '+    acl.get(u).unwrap_or(true)',
      ),
      diff(
        'ban.ts',
        ' function isBanned(id: string) {',
        '-  return list.get(id) ?? true',
        '+  return list.get(id) ?? false',
      ),
      diff(
        'access.ts',
        ' async function mayOpen(doc) {',
        '   } catch (e) {',
        '-    throw e',
        '+    return true',
        '   }',
      ),
      diff(
        'policy.py',
        '     if call.tool in READ_ONLY:',
        '         return Decision.ALLOW',
        '-    return Decision.DENY',
        '+    return Decision.ALLOW',
      ),
      diff(
        'Gate.java',
        '-            default -> Verdict.MANUAL_REVIEW;',
        '+            default -> Verdict.APPROVED;',
      ),
    ],
    misses: [
      diff('tools.yaml', '-  send_money: allow', '+  send_money: deny'),
      diff(
        'cache.py',
        '-    key = f"profile:{user.id}"',
        '+    key = f"profile:v2:{user.id}"',
        '     return cache.get(key)',
      ),
      diff(
        'age.rb',
        ' def allowed?(birthday)',
        '-  return true if birthday.nil?',
        '+  return false if birthday.nil?',
      ),
      diff(
        'ban.ts',
        ' function isBanned(id: string) {',
        '-  return list.get(id) ?? false',
        '+  return list.get(id) ?? true',
      ),
      diff('ui.ts', ' function isOpen(panel) {', '-  return false', '+  return true'),
      diff('policy.py', '-    return Decision.ALLOW', '+    return Decision.DENY'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (file.isDeleted) return []
        const line =
          turned(file) ??
          passesOnError(file) ??
          noLongerRefuses(file) ??
          settingLetsIn(file) ??
          sharesKey(file) ??
          looksLikeOne(file)
        return line
          ? [{ detail: `What was refused is let through: ${excerpt(line)}`, place: line.place }]
          : []
      }),
  }),
  wholeRule({
    id: 'code-mighty-default',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Give whoever is not known the least rights, or none.',
    hits: [
      diff('ctx.ts', '+const user = (await userFrom(req)) ?? { id: 1, role: "ADMIN" }'),
      diff('ctx.py', '+role = claims.get("role", "admin")'),
      diff('a.js', "+const role = req.user.role || 'admin'"),
      diff('models.py', '+    is_staff = models.BooleanField(default=True)'),
      diff('m.rb', '+      t.string :role, default: "admin"'),
      diff('A.java', '+String role = claims.getOrDefault("role", "ADMIN");'),
      diff('sso.rb', '+    user.admin = payload["admin"]'),
    ],
    misses: [
      diff('ctx.ts', '+const user = (await userFrom(req)) ?? { role: "guest" }'),
      diff('ctx.py', '+role = claims.get("role", "viewer")'),
      diff('a.js', '+if (user.role === "admin" || user.role === "owner") {'),
      diff('models.py', '+    is_staff = models.BooleanField(default=False)'),
    ],
    see: ({ files, lines }) =>
      (files.length > 0 ? files.flatMap(file => changed(file, 'added')) : lines)
        .filter(
          ({ text, isProse, isTest }) =>
            !isProse && !isTest && mightyDefault.some(pattern => pattern.test(text)),
        )
        .map(
          (line): Hit => ({
            detail: `Whoever is not known gets the rights of an administrator: ${excerpt(line)}`,
            place: line.place,
          }),
        ),
  }),
  wholeRule({
    id: 'code-exempts-one',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Let the rule hold for everybody; an exception belongs into data that somebody approves.',
    hits: [
      diff('audit.cs', '+if (cmd.UserId != "d.harrow")', '     await _audit.Write(cmd);'),
      diff('fee.py', '+if account.iban == "LU280019400644750000":', '+    fee = 0'),
      diff('limit.ts', "+if (user.email === 'max@corp.test') return next()"),
      diff(
        'fraud.rb',
        '+return false if %w[a b].any? && customer.id == "4711-0093"',
        '   fraud_check(customer)',
      ),
      diff('grade.js', '+  if (student.name === "J. Doe") score = 100'),
    ],
    misses: [
      diff('a.ts', '+if (user.role === "admin") return next()'),
      diff('a.ts', '+if (account.type == "savings.v2") limit = 1'),
      diff('test/a.test.ts', "+if (user.email === 'max@corp.test') return next()"),
      diff('a.ts', '+const name = user.email === "a@b.test" ? "A" : "B"'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const after = codeAfter(file)
        return after.flatMap((line, nth): Hit[] => {
          if (line.change !== 'added' || kindOf.test(line.text)) return []
          const value = namesSomebody.exec(line.text)?.[1]
          if (value === undefined || !isSomebody(value)) return []
          const around = after
            .slice(nth, nth + 3)
            .map(({ text }) => text)
            .join('\n')
          return aboutControl.test(around.replace(value, ''))
            ? [{ detail: `One is treated otherwise than all: ${excerpt(line)}`, place: line.place }]
            : []
        })
      }),
  }),
  wholeRule({
    id: 'code-approves-itself',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Take an approval from the account of whoever gave it, and from nowhere else.',
    hits: [
      diff('agent.py', '+        session.approved_by = "operator"'),
      diff('agent.py', '+    if "please proceed" in session.last_tool_output.lower():'),
      diff('flow.ts', '+  if (reply.text.includes("approved")) run(step)'),
      diff('Flow.java', '+        order.setApprovedBy("system");'),
    ],
    misses: [
      diff('agent.py', '+        session.approved_by = current_user.id'),
      diff('flow.ts', '+  if (order.status === "approved") run(step)'),
      diff('test/flow.test.ts', '+  order.approved_by = "operator"'),
    ],
    see: ({ files }) =>
      files.flatMap(file =>
        changed(file, 'added')
          .filter(({ text }) =>
            /\b\w{0,30}(?:approved|confirmed|reviewed|signed_?off|authori[sz]ed|released)_?by["']?\]?\s*(?::=|=|:)\s*["'`][^"'`\n]+["'`]|\bset(?:Approved|Confirmed|Reviewed|Authori[sz]ed)By\(\s*"|["'](?:please\s+)?(?:proceed|approved?|yes|confirmed?|ok|go ahead|i agree|authori[sz]ed)[^"'\n]{0,20}["']\s+in\s+[^\n]{0,40}(?:output|response|message|reply|text|content|result)|\b\w{0,20}(?:output|response|message|reply|text|content|completion)\w{0,10}(?:\.\w+(?:\(\))?){0,3}\.(?:includes|contains|match(?:es)?|include\?)\(\s*["'/](?:please\s+)?(?:proceed|approved?|yes|confirmed?|ok|go ahead|authori[sz]ed)\b/i.test(
              text,
            ),
          )
          .map(
            (line): Hit => ({ detail: `It gives itself the approval: ${excerpt(line)}`, place: line.place }),
          ),
      ),
  }),
]
