import type { DiffFile, Line } from '../read/lines.ts'
import { saferState } from '../read/safe-direction.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, diff } from './code-lines.ts'
import { isLocalFile } from './words.ts'

/** A switch with its name and state: `secure: true`, `VERIFY = False`, `"strict" => true`, `--audit=off`. */
const readSwitch = (text: string): { name: string; isOn: boolean } | undefined => {
  const [, name = '', state = ''] =
    /(?<![\w.-])([A-Za-z][\w.-]{1,60})["']?\s*(?::=|=>|[:=])\s*["']?(true|false|on|off|yes|no|enabled?|disabled?|0|1)\b["']?/i.exec(
      text,
    ) ?? []
  return name === '' ? undefined : { name, isOn: /^(?:true|on|yes|enabled?|1)$/i.test(state) }
}

const strong =
  /\b(?:bcrypt\w*|argon2\w*|scrypt\w*|pbkdf2\w*|sha-?_?(?:256|384|512)|sha3\w*|blake[23]\w*|hmac\w*|aes-?_?\d*-?_?gcm|chacha20\w*|RS(?:256|512)|ES256|EdDSA|ed25519|TLS_?v?1[._]?[23]|https|randomBytes|SecureRandom|secrets|randomUUID|getRandomValues|timingSafeEqual|compare_digest|secure_?compare|hash_equals|ConstantTimeCompare|FixedTimeEquals|constant_time\w*|PreparedStatement|prepareStatement|safe_load|SafeLoader|textContent|defusedxml|DOMPurify\w*|NewTLS|createSsl|ssl_channel_credentials|add_secure_port|secure_channel|useTransportSecurity)\b/i

const weak =
  /\b(?:md[45]|sha-?_?1|des(?:-\w+)?|3des|rc4|ecb|crc32|adler32|rot13|plain_?text|base64|none|HS256|TLS_?v?1(?:[._]?[01])?(?![._\d])|SSL_?v?[23]|http|Math\.random|random\.\w+|rand|mt_rand|Date\.now|new Date|Time\.now|DateTime\.(?:Utc)?Now|time\.Now|hashCode|time\.time|currentTimeMillis|uniqid|getpid|Random|permit!|strcmp|createStatement|unsafe_load|FullLoader|innerHTML|etree|start_?with|starts_?with|has_?prefix|str_starts_with|includes?|contains|indexOf|equals|bytes\.Equal|strncmp|memcmp|insecure\.\w+|WithInsecure|usePlaintext|add_insecure_port|insecure_channel|createInsecure|Insecure\w*Credentials)\b|===?/i

/** What differs in strength: a name of each, from before and after, on lines that otherwise say the same. */
const weakens = (before: string, after: string): string | undefined => {
  const was = strong.exec(before)?.[0]
  const is = weak.exec(after)?.[0]
  if (was === undefined || is === undefined || strong.test(after)) return undefined
  return `${was} becomes ${is}`
}

/** Names of things that let only some through. */
const gate =
  /\b(?:\w{1,30}\.){0,2}(?:require|ensure|must|only|check|verify|assert|protect|restrict|enforce|limit|guard|validate|authenticate|authori[sz]e|is|has|can|needs?)_?[A-Z_]\w*(?:\([^()]*\))?|\b(?:csrf|helmet|auth|session|protected|throttle|sanitize\w*|[a-z]\w*(?:Only|Guard|Required|Middleware))\b(?:\([^()]*\))?/g

const squeeze = (text: string): string => text.replace(/[\s,;()&|!]+/g, '')

/** The part of a line, of those that a pattern names, without which it says the same as one of the others. */
const droppedPart = (before: string, others: ReadonlySet<string>, pattern: RegExp): string | undefined => {
  for (const [name] of before.matchAll(pattern))
    if (others.has(squeeze(before.replace(name, '')))) return name.replace(/^[,\s]+/, '').slice(0, 60)
  return undefined
}

/** Arguments that narrow a search to who asks: `user=request.user`, `tenantId: ctx.tenant`, `AND owner_id = ?`. */
const scope =
  /,?\s*["']?\b(?:user|owner|tenant|account|org(?:anization|anisation)?|customer|author|member|team|workspace|project|company)(?:_?id|Id)?["']?\s*(?:==?|:|=>)\s*[^,){}]+|\s+AND\s+\w*(?:user|owner|tenant|account|org|customer|team)\w*\s*=\s*(?:\?|\$\d+|:\w+|%s|@\w+)/gi

/** The owner that a search asked for, when the search that stands in its place asks for none. */
const widened = (before: string, added: readonly Line[]): string | undefined => {
  const owner = ownScope.exec(before)?.[0]
  if (owner === undefined || !searches.test(before)) return undefined
  const target = /([@\w$]{1,60})\s*:?=(?!=)/.exec(before)?.[1]
  const next = added.find(({ text }) => target !== undefined && text.includes(target) && searches.test(text))
  if (!next || added.some(({ text }) => ownScope.test(text) || /authori[sz]e|policy|owner|scope/i.test(text)))
    return undefined
  return owner
}

/** Calls that make sure of something before it is used. */
const assurance =
  /\b(?:verify|validate|check|ensure|assert|filter_(?:input|var)|htmlspecialchars|htmlentities|escapeshell|sanitize|sanitise|escape|authenticate|authori[sz]e|constructEvent|safeParse|compare|isValid|hasValid|purify|clean|guard)\w*\s*\(/gi

/** What keeps others from reading what is written. */
const encrypts =
  /\|\s*(?:gpg|age|openssl\s+enc)\b|--(?:encrypt|sse)\b|\b(?:encrypt|encryptWith|seal|kmsEncrypt|Fernet|cipher\.update|secretbox)\w*\s*\(/i

/** What makes several steps one, or keeps others out meanwhile. */
const together =
  /\b(?:db|conn|pool|client|sqlx?)\.Begin\w*\(|\btx\.Commit\(|\b(?:transaction|atomic)\b\s*(?:[({:]|do\b)|\b(?:BeginTx|begin_?transaction|begin_nested|with_transaction|runInTransaction|START\s+TRANSACTION|select_for_update)\b|@Transactional\b|\bFOR\s+UPDATE\b|\bsynchronized\b|\bmutex\b|\.lock\(|\bwith_lock\b/i

/** What is done in one step by itself, and needs no lock around it. */
const atomicStep =
  /\b(?:LoadOrStore|LoadAndDelete|CompareAnd(?:Swap|Set|Exchange)|compare_?(?:and_?set|exchange)\w*|putIfAbsent|compute(?:IfAbsent|IfPresent)?|Concurrent\w*Map|Atomic[A-Z]\w+|atomic\.\w+|std::atomic|Interlocked|fetch_add|setnx|SETNX|ON\s+CONFLICT|upsert|insert_?or_?ignore|singleflight|RwLock|RWMutex|RLock|ReadWriteLock|readLock|Semaphore)\b|\.(?:read|write)\(\)\.(?:unwrap|await|expect)/

const matchNames = (lines: readonly Line[], pattern: RegExp): Set<string> =>
  new Set(lines.flatMap(({ text }) => [...text.matchAll(pattern)].map(([name]) => name.toLowerCase())))

const bound =
  /["']?\b((?:\w*_)?(?:max|min|stop_?loss|leverage|limit|timeout|quota|retries|size|cap|threshold|ttl|expir\w*|attempts|rate|length)\w*|\w*(?:Max|Limit|Timeout|Quota|Size|Cap|Threshold|Ttl|Expir\w*|Attempts|Rate|Length))["']?\s*(?::=|[:=])\s*([^,;\s]+)/i

/** Searches that ask only for what belongs to somebody. */
const ownScope =
  /\b(?:current_(?:user|account|tenant|org\w*|customer|member|company)|(?:req|request|ctx|context|session|self\.request)\.(?:user|tenant|account|auth|org)|tenant_?id|owner_?id|user_?id|account_?id|org_?id)\b/i
const searches =
  /\b(?:find\w*|get\w*|where|filter\w*|select|update\w*|delete\w*|destroy\w*|objects|query|first|load)\b\s*[(.:]/i

/** Switches whose absence is as bad as their being off. */
const keptSwitch =
  /^(?:prevent_destroy|deletion_?protection(?:_enabled)?|termination_?protection|disable_api_termination|runAsNonRoot|readOnlyRootFilesystem|(?:storage_)?encrypted|block_public_\w+|restrict_public_buckets|enable_key_rotation|mfa_delete|httpOnly|no-new-privileges|verify_?ssl|strict_?ssl|at_rest_encryption_enabled|require_?auth\w*|signature_?verification)$/i

/** A number as code writes it; a product counts as what it comes to. */
const toAmount = (value: string): number | undefined => {
  const bare = value.replace(/(?<=\d)[_'](?=\d)/g, '').replace(/[)n]+$/, '')
  return /^\d{1,18}(?:\.\d{1,6})?$/.test(bare) ? Number(bare) : undefined
}

const money =
  /withdraw|transfer|payout|payment|spend|refund|leverage|loss|exposure|order|trade|amount|credit|slippage|mint|fee/i

/** Whether a bound still bounds: one on money must not grow a hundredfold, no other a thousandfold, a least must not fall. */
const losesBound = (name: string, before: string, after: string): boolean => {
  const [was, is] = [toAmount(before), toAmount(after)]
  if (was === undefined || is === undefined || was === 0) return false
  if (/min/i.test(name) && /length|confirm|approv|sign|quorum|review|delay|age/i.test(name))
    return is < was / 2
  return !/min/i.test(name) && is / was >= (money.test(name) ? 100 : 1000)
}

/** A bound that is multiplied where it is asked for. */
const overLimit = /(\b\w{0,30}(?:max|limit|threshold|ceiling)\w{0,30})\s*\*\s*(?:1\.[1-9]\d?|[2-9]\d{0,6})\b/i

const counted =
  /tries|attempt|amount|sum|total|fail|days|dose|speed|temp|pressure|level|score|delay|balance|strike|error/i

/** Whether a comparison says the same as before, with a number a hundred times as great. */
const comparesWithMore = (before: string, after: string): boolean => {
  const shape = (text: string) => text.replace(/\d[\d_]*/g, '#').trim()
  if (!/[<>]/.test(after) || !counted.test(after) || shape(before) !== shape(after)) return false
  const numbers = (text: string) =>
    (text.match(/\d[\d_]*/g) ?? []).map(value => Number(value.replaceAll('_', '')))
  const were = numbers(before)
  return numbers(after).some((value, nth) => (were[nth] ?? 0) > 0 && value >= (were[nth] ?? 0) * 100)
}

/** Leverage is a bound of its own: five times as much is another business. */
const isMuchMore = (name: string, before: string, after: string): boolean => {
  const [was, is] = [toAmount(before), toAmount(after)]
  return /leverage/i.test(name) && was !== undefined && is !== undefined && is >= was * 5
}

const isUnbounded = (value: string): boolean =>
  /^["']?(?:0|-1|infinity|Number\.(?:POSITIVE_INFINITY|MAX_SAFE_INTEGER|MAX_VALUE)|math\.(?:inf|MaxInt\w*)|None|null|nil|undefined|unlimited|never|Integer\.MAX_VALUE|usize::MAX|u64::MAX|9{5,})["']?\)?$/i.test(
    value,
  )

const exactMoney =
  /\b(?:BigDecimal|[Dd]ecimal|Money|Cents|(?:add|sub|mul|sum|to)Cents|MinorUnits?|Rational|big\.(?:Rat|Int)|Numeric|NUMERIC|DECIMAL)\b/
const floating =
  /\b(?:float(?:32|64)?|double|Double|Float|f32|f64|REAL|parseFloat|toFloat|to_f|floatval|doubleValue|parseDouble|DOUBLE\s+PRECISION)\b/
const moneyWord = /total|amount|price|invoice|balance|cents|tax|interest|ledger|payment|fee|salary/i

/** Money that is no longer counted exactly. */
const losesCents = (file: DiffFile): Line | undefined => {
  const added = changed(file, 'added')
  return changed(file, 'removed').some(({ text }) => exactMoney.test(text)) &&
    !added.some(({ text }) => exactMoney.test(text)) &&
    (moneyWord.test(file.name) || file.lines.some(({ text }) => moneyWord.test(text)))
    ? added.find(({ text }) => floating.test(text))
    : undefined
}

/** A stop that now needs all of several dangers at once, where one was enough; or a pass that one of several gives. */
const loosensLogic = (file: DiffFile): Line | undefined => {
  const removed = new Set(changed(file, 'removed').map(({ text }) => text.trim()))
  const isWith = (text: string, from: RegExp, to: string) => removed.has(text.trim().replace(from, to))
  const atByLine = new Map(file.lines.map((line, at) => [line, at]))
  return changed(file, 'added').find(line => {
    const { text } = line
    const at = atByLine.get(line) ?? 0
    const next = file.lines
      .slice(at, at + 3)
      .filter(({ change }) => change !== 'removed')
      .map(({ text }) => text)
      .join(' ')
    const stops =
      /\b(?:throw|raise|abort|panic|reject|deny|refuse|stop\w*|halt|shut\w*|alarm|return\s+(?:false|err|4\d\d|null|nil|None)|return\s*;|unauthori[sz]ed|forbidden)\b|stop_|_off\(/i.test(
        next,
      )
    if (/&&/.test(text) && stops && isWith(text, /&&/, '||')) return true
    if (/\band\b/.test(text) && stops && isWith(text, /\band\b/, 'or')) return true
    const lets =
      /\b(?:auth|allow|permit|role|admin|owner|frozen|locked|is_?(?:admin|owner|valid|verified)|can_|has_|verified|valid|return)\w*/i.test(
        text,
      )
    if (/\|\|/.test(text) && lets && !stops && isWith(text, /\|\|/, '&&')) return true
    return /\bor\b/.test(text) && lets && !stops && isWith(text, /\bor\b/, 'and')
  })
}

/** Protection that a change takes back: switches, algorithms, gates. */
export const weakenedRules: readonly Rule[] = [
  wholeRule({
    id: 'code-switch-off',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Leave the protection on, or say in the change what takes its place.',
    hits: [
      diff('server/session.js', '-    secure: true,', '+    secure: false,'),
      diff('main.ts', '-      contextIsolation: true,', '+      contextIsolation: false,'),
      diff('app.yml', '-  allowAnonymous: false', '+  allowAnonymous: true'),
      diff('db.tf', '-    prevent_destroy = true'),
      diff('db.tf', '-  deletion_protection = true', '+  deletion_protection = false'),
    ],
    misses: [
      diff('server/session.js', '-    secure: false,', '+    secure: true,'),
      diff('app.yml', '-  allowAnonymous: true', '+  allowAnonymous: false'),
      diff('ui.ts', '-  darkMode: true,', '+  darkMode: false,'),
      diff('test/session.test.js', '-    secure: true,', '+    secure: false,'),
      diff('.env.local', '-APP_DEBUG=false', '+APP_DEBUG=true'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const before = changed(file, 'removed').flatMap(({ text }) => readSwitch(text) ?? [])
        const added = changed(file, 'added')
        const isWholeBlock = changed(file, 'removed').some(({ text }) =>
          /^\s*(?:resource|module|data)\s+"|^kind:/.test(text),
        )
        const gone =
          file.isDeleted || isWholeBlock
            ? undefined
            : changed(file, 'removed').find(({ text }) => {
                const { name = '', isOn = false } = readSwitch(text) ?? {}
                return isOn && keptSwitch.test(name) && !added.some(line => line.text.includes(name))
              })
        if (gone)
          return [{ detail: `It is no longer there: ${gone.text.trim().slice(0, 60)}`, place: gone.place }]
        return added.flatMap(({ text, place }): Hit[] => {
          const now = readSwitch(text)
          if (!now || !before.some(({ name, isOn }) => name === now.name && isOn !== now.isOn)) return []
          if (isLocalFile(file.name)) return []
          const isWorse = saferState(now.name) === (now.isOn ? 'off' : 'on')
          return isWorse ? [{ detail: `${now.name} is turned ${now.isOn ? 'on' : 'off'}.`, place }] : []
        })
      }),
  }),
  wholeRule({
    id: 'code-weakened',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep the stronger one.',
    hits: [
      diff('s.go', '-	grpc.Creds(credentials.NewTLS(cfg)),', '+	grpc.Creds(insecure.NewCredentials()),'),
      diff('lib/hash.py', '-    return bcrypt.hashpw(pw, salt)', '+    return hashlib.md5(pw).hexdigest()'),
      diff('a.js', '-const id = crypto.randomBytes(16)', '+const id = Math.random()'),
      diff('nginx.conf', '-  ssl_protocols TLSv1.2 TLSv1.3;', '+  ssl_protocols TLSv1 SSLv3;'),
      diff('a.js', '-  return crypto.timingSafeEqual(a, b)', '+  return a === b'),
      diff(
        'pump.c',
        '-	if (rate > MAX || air_in_line())',
        '+	if (rate > MAX && air_in_line())',
        ' 		stop_motor();',
      ),
      diff('invoice.go', '-	total := decimal.Sum(lines)', '+	var total float32'),
      diff(
        'invoice.ts',
        '-  const total: Cents = addCents(a, b)',
        '+  const total = parseFloat(a) + parseFloat(b)',
      ),
    ],
    misses: [
      diff('lib/hash.py', '-    return hashlib.md5(pw).hexdigest()', '+    return bcrypt.hashpw(pw, salt)'),
      diff('a.js', '-const id = crypto.randomBytes(16)', '+const id = crypto.randomUUID()'),
      diff('a.js', '-const hash = sha256(body)', '+const size = body.length'),
      diff(
        'pump.c',
        '-	if (rate > MAX && air_in_line())',
        '+	if (rate > MAX || air_in_line())',
        ' 		stop_motor();',
      ),
      diff('invoice.go', '-	var total float32', '+	total := decimal.Sum(lines)'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const removed = changed(file, 'removed')
        const added = changed(file, 'added')
        const loose = loosensLogic(file)
        if (loose)
          return [
            {
              detail: `One condition is no longer enough to stop it, or is enough to pass: ${loose.text.trim().slice(0, 60)}`,
              place: loose.place,
            },
          ]
        const inexact = losesCents(file)
        if (inexact)
          return [
            {
              detail: `Money is no longer counted exactly: ${inexact.text.trim().slice(0, 60)}`,
              place: inexact.place,
            },
          ]
        // A line stands for the one that was at its place: the nth added for the nth removed.
        return added.flatMap(({ text, place }, nth): Hit[] => {
          const before = removed[nth]?.text ?? (removed.length === 1 ? removed[0]?.text : undefined)
          const what = before === undefined ? undefined : weakens(before, text)
          return what === undefined ? [] : [{ detail: `What protects gets weaker: ${what}.`, place }]
        })
      }),
  }),
  wholeRule({
    id: 'code-gate-dropped',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep the check, or say in the change what does it now.',
    hits: [
      diff(
        'A.java',
        '-    return roles.contains(r) && !user.isSuspended();',
        '+    return roles.contains(r);',
      ),
      diff('a.ts', '-router.delete("/o/:id", requireAdmin, remove)', '+router.delete("/o/:id", remove)'),
      diff('a.ts', '-  if (isOwner(user) && amount > 0) pay()', '+  if (amount > 0) pay()'),
      diff('a.py', '-    o = Order.get(id=id, user=request.user)', '+    o = Order.get(id=id)'),
      diff('a.rb', '-    @o = current_user.orders.find(params[:id])', '+    @o = Order.find(params[:id])'),
    ],
    misses: [
      diff(
        'a.ts',
        "-router.get('/a', requireAdmin, show)",
        "+router.use('/a', requireAdmin)",
        "+router.get('/a', show)",
      ),
      diff('a.ts', '-router.delete("/o/:id", remove)', '+router.delete("/o/:id", requireAdmin, remove)'),
      diff('a.ts', '-router.get("/o", cache, list)', '+router.get("/o", list)'),
      diff('a.py', '-    o = Order.get(id=id)', '+    o = Order.get(id=id, user=request.user)'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const added = new Set(changed(file, 'added').map(({ text }) => squeeze(text)))
        return changed(file, 'removed').flatMap(({ text, place }): Hit[] => {
          const name =
            droppedPart(text, added, gate) ??
            droppedPart(text, added, scope) ??
            widened(text, changed(file, 'added'))
          const isForAll = changed(file, 'added').some(
            line =>
              name !== undefined &&
              line.text.includes(name) &&
              /\.use\(|\bgroup\b|before_action|middleware|preHandler|namespace|\bscope\b|route_?group/i.test(
                line.text,
              ),
          )
          return name === undefined || isForAll ? [] : [{ detail: `A check is gone: ${name}`, place }]
        })
      }),
  }),
  wholeRule({
    id: 'code-always-yes',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep the condition, or say in the change who decides now.',
    hits: [
      diff(
        'access.py',
        ' def can_delete(user, doc):',
        '-    return user.id == doc.owner_id',
        '+    return True',
      ),
      diff('sig.ts', '-  return hmac(body) === header', '+  return true'),
      diff('Check.java', '-        return amount <= limit && isActive(user);', '+        return true;'),
    ],
    misses: [
      diff('flags.ts', '-  return false', '+  return true'),
      diff('access.py', '-    return True', '+    return user.id == doc.owner_id'),
      diff('list.ts', '-  return items.length', '+  return items.length > 0'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const removed = changed(file, 'removed')
        return changed(file, 'added').flatMap(({ text, place }, nth): Hit[] => {
          if (!/^\s*(?:return\s+|=>\s*)?\(?(?:true|True|TRUE|nil|Ok\(true\))\)?\s*[;,]?\s*$/.test(text))
            return []
          const before = removed[nth]?.text ?? removed.at(-1)?.text ?? ''
          return /\breturn\b[^;]*(?:[=!]==?|[<>]=?|&&|\|\||\band\b|\bor\b|\bin\b|\w\()/.test(before)
            ? [{ detail: `What was asked is now always so: ${before.trim().slice(0, 80)}`, place }]
            : []
        })
      }),
  }),
  wholeRule({
    id: 'code-encryption-gone',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep what is written encrypted.',
    hits: [
      diff('backup.sh', '-pg_dump shop | gpg --encrypt -r ops > "$OUT"', '+pg_dump shop > "$OUT"'),
      diff('up.sh', '-aws s3 cp a.gz s3://b/ --sse aws:kms', '+aws s3 cp a.gz s3://b/'),
      diff('store.ts', '-  await put(key, encrypt(value))', '+  await put(key, value)'),
    ],
    misses: [
      diff('backup.sh', '-pg_dump shop > "$OUT"', '+pg_dump shop | gpg --encrypt -r ops > "$OUT"'),
      diff('backup.sh', '-pg_dump a | gpg -e -r ops > a', '+pg_dump a | age -r "$KEY" > a'),
      diff('store.ts', '-  const plain = decrypt(value)', '+  const plain = await decrypt(value)'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const added = changed(file, 'added')
        if (added.length === 0 || added.some(({ text }) => encrypts.test(text))) return []
        return changed(file, 'removed').flatMap(({ text, place }, nth): Hit[] => {
          const next = added[nth]?.text ?? added[0]?.text ?? ''
          const first = /\w+/.exec(text)?.[0] ?? ''
          return encrypts.test(text) && next.includes(first)
            ? [{ detail: `It is no longer encrypted: ${text.trim().slice(0, 80)}`, place }]
            : []
        })
      }),
  }),
  wholeRule({
    id: 'code-assurance-gone',
    category: 'code',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Keep the call, or say in the change what makes sure of it now.',
    hits: [
      diff('pay.go', '-	tx, err := db.Begin()', '-	debit(tx, a)', '-	tx.Commit()', '+	debit(db, a)'),
      diff(
        'src/webhook.ts',
        '-  const event = stripe.webhooks.constructEvent(raw, sig, secret)',
        '+  const event = JSON.parse(raw)',
      ),
      diff('a.js', '-  el.append(sanitizeHtml(text))', '+  el.append(text)'),
      diff('a.ts', '-  await db.transaction(async tx => tx.move(a, b))', '+  await db.move(a, b)'),
    ],
    misses: [
      diff('a.ts', '+  const event = stripe.webhooks.constructEvent(raw, sig, secret)'),
      diff('a.ts', '-  validateName(name)', '+  validateName(name, locale)'),
      diff('a.ts', '-function checkbox() {', '+function toggle() {'),
      diff('seats.go', '-	r.mu.Lock()', '-	r.taken[seat] = who', '+	r.taken.LoadOrStore(seat, who)'),
      diff('Seats.java', '-  synchronized void take(String s) {', '+    taken.putIfAbsent(s, who);'),
      diff('test/a.test.ts', '-  assert(a)', '+  b()'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const addedNames = matchNames(changed(file, 'added'), assurance)
        // A call that moves, or goes with the whole file, is another matter.
        if (file.isDeleted || changed(file, 'added').length === 0) return []
        const before = matchNames(changed(file, 'removed'), assurance)
        // Another call that makes as sure takes the place of one.
        const isReplaced = [...addedNames].some(
          name =>
            !before.has(name) &&
            /^(?:verify|authenticate|authori[sz]e|validate|safeparse|saniti[sz]e|purify|constructevent)/i.test(
              name,
            ),
        )
        return changed(file, 'removed').flatMap(({ text, place }): Hit[] => {
          if (/^\s*(?:import|from|export\s+\*|function|def|const\s+\w+\s*=\s*require)\b/.test(text)) return []
          if (
            together.test(text) &&
            !files.some(other =>
              changed(other, 'added').some(line => together.test(line.text) || atomicStep.test(line.text)),
            )
          )
            return [{ detail: 'What was done together or in turn no longer is.', place }]
          const gone = [...text.matchAll(assurance)]
            .map(([name]) => name)
            .find(
              name => !addedNames.has(name.toLowerCase()) && !/^check(?:box|out|list|point|mark)/i.test(name),
            )
          return gone === undefined || isReplaced
            ? []
            : [{ detail: `${gone.replace(/\s*\($/, '')} is no longer called.`, place }]
        })
      }),
  }),
  wholeRule({
    id: 'code-bound-gone',
    category: 'code',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Keep a bound, even a generous one.',
    hits: [
      diff('pin.kt', '-    if (tries > 3) wipe()', '+    if (tries > 3000) wipe()'),
      diff('train.py', '-    signal.obey(max_speed)', '+    signal.obey(max_speed * 1.4)'),
      diff('src/limits.go', '-const maxUpload = 10 << 20', '+const maxUpload = 0 // unlimited'),
      diff('a.ts', '-  timeout: 5000,', '+  timeout: Infinity,'),
      diff('a.ts', '-const MAX_PAYOUT = 1_000', '+const MAX_PAYOUT = 1_000_000'),
      diff('a.ts', '-const MIN_CONFIRMATIONS = 6', '+const MIN_CONFIRMATIONS = 1'),
      diff('risk.py', '-MAX_LEVERAGE = 3', '+MAX_LEVERAGE = 50'),
      diff('risk.py', '-STOP_LOSS_PCT = 2.0', '+STOP_LOSS_PCT = None'),
    ],
    misses: [
      diff('pin.kt', '-    if (tries > 3) wipe()', '+    if (tries > 5) wipe()'),
      diff('src/limits.go', '-const maxUpload = 10 << 20', '+const maxUpload = 5 << 20'),
      diff('a.ts', '-  timeout: 0,', '+  timeout: 5000,'),
      diff('a.ts', '-const MAX_ROWS = 25', '+const MAX_ROWS = 500'),
      diff('a.css', '-  size: 4px', '+  size: 0'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (/\.(?:css|scss|less|svg)$/.test(file.name)) return []
        const before = new Map(
          changed(file, 'removed').flatMap(({ text }): [string, string][] => {
            const [, name, value] = bound.exec(text) ?? []
            return name !== undefined && value !== undefined && !isUnbounded(value) ? [[name, value]] : []
          }),
        )
        const lines = changed(file, 'removed').map(({ text }) => text)
        return changed(file, 'added').flatMap(({ text, place }, nth): Hit[] => {
          if (
            comparesWithMore(lines[nth] ?? '', text) ||
            (lines.includes(text.replace(overLimit, '$1')) && overLimit.test(text))
          )
            return [{ detail: `What bounds it is far away: ${text.trim().slice(0, 60)}`, place }]
          const [, name, value] = bound.exec(text) ?? []
          const was = name === undefined ? undefined : before.get(name)
          if (name === undefined || value === undefined || was === undefined) return []
          return isUnbounded(value) || losesBound(name, was, value) || isMuchMore(name, was, value)
            ? [{ detail: `${name} has no bound any more.`, place }]
            : []
        })
      }),
  }),
  wholeRule({
    id: 'code-access-rule-gone',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep what says who may come in.',
    hits: [
      diff('nginx.conf', '-    deny all;', '     proxy_pass http://admin;'),
      diff('nginx.conf', '-    auth_basic "Admin";', '     proxy_pass http://admin;'),
      diff('.htaccess', '-Require valid-user', ' Options -Indexes'),
      diff('nginx.conf', '-  add_header Strict-Transport-Security "max-age=31536000";', ' listen 443 ssl;'),
    ],
    misses: [
      diff('nginx.conf', '-    deny all;', '+    deny all; # others'),
      diff('nginx.conf', '-    auth_basic "Admin";', '+    auth_request /auth;'),
      diff('nginx.conf', '-    gzip on;', '     proxy_pass http://admin;'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (file.isDeleted) return []
        const rule =
          /^\s*(?:auth_basic(?:_user_file)?\s+(?!off)|auth_request\s|deny\s+all|satisfy\s+all|ssl_verify_client\s+on|limit_(?:req|conn)\s|Require\s+(?!all\s+granted)\w|AuthType\s|basic_?auth\b|forward_auth\b|add_header\s+(?:Strict-Transport|Content-Security|X-Frame)\S*|requirepass\s|AllowUsers\s|DenyUsers\s)/i
        const gone = changed(file, 'removed').find(({ text }) => rule.test(text))
        return gone && !changed(file, 'added').some(({ text }) => rule.test(text))
          ? [
              {
                detail: `It no longer says who may come in: ${gone.text.trim().slice(0, 60)}`,
                place: gone.place,
              },
            ]
          : []
      }),
  }),
  wholeRule({
    id: 'code-runs-as-root',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Let it run as an account that may do only what it needs.',
    hits: [
      diff('Dockerfile', '-USER node', ' CMD ["node", "server.js"]'),
      diff('Dockerfile', '+USER root', ' CMD ["node", "server.js"]'),
      diff('app.service', '-User=app', '+User=root'),
    ],
    misses: [
      diff('Dockerfile', '+USER node', ' CMD ["node", "server.js"]'),
      diff('Dockerfile', '-USER node', '+USER app'),
      diff('Dockerfile', '+USER root', '+RUN apt-get update', '+USER app'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (!/(?:Dockerfile|Containerfile)[\w.-]*$|\.service$/.test(file.name)) return []
        const account = ({ text }: Line) => /^\s*user[\s=]+([\w:.${}-]+)/i.exec(text)?.[1]
        const isRoot = (name: string | undefined) => /^(?:root|0)(?::|$)/i.test(name ?? '')
        const accountLines = file.lines.filter(
          line => line.change !== 'removed' && account(line) !== undefined,
        )
        const last = accountLines.at(-1)
        const gone = file.lines.find(
          line => line.change === 'removed' && account(line) !== undefined && !isRoot(account(line)),
        )
        if (last?.change === 'added' && isRoot(account(last)))
          return [{ detail: 'It runs as root.', place: last.place }]
        return gone && accountLines.length === 0
          ? [{ detail: 'It no longer says that it runs as another than root.', place: gone.place }]
          : []
      }),
  }),
]
