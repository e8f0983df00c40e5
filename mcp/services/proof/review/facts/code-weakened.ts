import type { DiffFile, Line } from '../read/lines.ts'
import { saferState } from '../read/safe-direction.ts'
import { changedLines } from './code-lines.ts'
import { actFact, type Detector, type Fact } from './fact.ts'
import { isLocalFile } from './words.ts'

/** A switch with its name and state: `secure: true`, `VERIFY = False`, `"strict" => true`, `--audit=off`. */
const parseSwitch = (text: string): { name: string; isOn: boolean } | undefined => {
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

/** Names what loses strength, from before and after, on lines that otherwise say the same. */
const weakens = (before: string, after: string): string | undefined => {
  const was = strong.exec(before)?.[0]
  const is = weak.exec(after)?.[0]
  if (was === undefined || is === undefined || strong.test(after)) return undefined
  return `${was} becomes ${is}`
}

/** Calls that make sure of something before it is used. */
const assurance =
  /\b(?:verify|validate|check|ensure|assert|filter_(?:input|var)|htmlspecialchars|htmlentities|escapeshell|sanitize|sanitise|escape|authenticate|authori[sz]e|constructEvent|safeParse|compare|isValid|hasValid|purify|clean|guard)\w*\s*\(/gi

/** Code that joins several steps or keeps others out meanwhile. */
const together =
  /\b(?:db|conn|pool|client|sqlx?)\.Begin\w*\(|\btx\.Commit\(|\b(?:transaction|atomic)\b\s*(?:[({:]|do\b)|\b(?:BeginTx|begin_?transaction|begin_nested|with_transaction|runInTransaction|START\s+TRANSACTION|select_for_update)\b|@Transactional\b|\bFOR\s+UPDATE\b|\bsynchronized\b|\bmutex\b|\.lock\(|\bwith_lock\b/i

/** Calls that are one step by themselves, and need no lock. */
const atomicStep =
  /\b(?:LoadOrStore|LoadAndDelete|CompareAnd(?:Swap|Set|Exchange)|compare_?(?:and_?set|exchange)\w*|putIfAbsent|compute(?:IfAbsent|IfPresent)?|Concurrent\w*Map|Atomic[A-Z]\w+|atomic\.\w+|std::atomic|Interlocked|fetch_add|setnx|SETNX|ON\s+CONFLICT|upsert|insert_?or_?ignore|singleflight|RwLock|RWMutex|RLock|ReadWriteLock|readLock|Semaphore)\b|\.(?:read|write)\(\)\.(?:unwrap|await|expect)/

const matchNames = (lines: readonly Line[], pattern: RegExp): Set<string> =>
  new Set(lines.flatMap(({ text }) => [...text.matchAll(pattern)].map(([name]) => name.toLowerCase())))

/** Switches whose absence is as bad as their being off. */
const keptSwitch =
  /^(?:prevent_destroy|deletion_?protection(?:_enabled)?|termination_?protection|disable_api_termination|runAsNonRoot|readOnlyRootFilesystem|(?:storage_)?encrypted|block_public_\w+|restrict_public_buckets|enable_key_rotation|mfa_delete|httpOnly|no-new-privileges|verify_?ssl|strict_?ssl|at_rest_encryption_enabled|require_?auth\w*|signature_?verification)$/i

const exactMoney =
  /\b(?:BigDecimal|[Dd]ecimal|Money|Cents|(?:add|sub|mul|sum|to)Cents|MinorUnits?|Rational|big\.(?:Rat|Int)|Numeric|NUMERIC|DECIMAL)\b/

const floating =
  /\b(?:float(?:32|64)?|double|Double|Float|f32|f64|REAL|parseFloat|toFloat|to_f|floatval|doubleValue|parseDouble|DOUBLE\s+PRECISION)\b/

const moneyWord = /total|amount|price|invoice|balance|cents|tax|interest|ledger|payment|fee|salary/i

/** Money that is no longer counted exactly. */
const losesCents = (file: DiffFile): Line | undefined => {
  const added = changedLines(file, 'added')
  return changedLines(file, 'removed').some(({ text }) => exactMoney.test(text)) &&
    !added.some(({ text }) => exactMoney.test(text)) &&
    (moneyWord.test(file.name) || file.lines.some(({ text }) => moneyWord.test(text)))
    ? added.find(({ text }) => floating.test(text))
    : undefined
}

/** A stop that now needs all of several dangers at once, where one was enough; or a pass that one of several gives. */
const loosensLogic = (file: DiffFile): Line | undefined => {
  const removed = new Set(changedLines(file, 'removed').map(({ text }) => text.trim()))
  const isWith = (text: string, from: RegExp, to: string) => removed.has(text.trim().replace(from, to))
  const atByLine = new Map(file.lines.map((line, at) => [line, at]))
  return changedLines(file, 'added').find(line => {
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
export const weakenedFacts: readonly Detector[] = [
  actFact({
    id: 'code-switch-off',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        const before = changedLines(file, 'removed').flatMap(({ text }) => parseSwitch(text) ?? [])
        const added = changedLines(file, 'added')
        const isWholeBlock = changedLines(file, 'removed').some(({ text }) =>
          /^\s*(?:resource|module|data)\s+"|^kind:/.test(text),
        )
        const gone =
          file.isDeleted || isWholeBlock
            ? undefined
            : changedLines(file, 'removed').find(({ text }) => {
                const { name = '', isOn = false } = parseSwitch(text) ?? {}
                return isOn && keptSwitch.test(name) && !added.some(line => line.text.includes(name))
              })
        if (gone)
          return [{ detail: `It is no longer there: ${gone.text.trim().slice(0, 60)}`, place: gone.place }]
        return added.flatMap(({ text, place }): Fact[] => {
          const now = parseSwitch(text)
          if (!now || !before.some(({ name, isOn }) => name === now.name && isOn !== now.isOn)) return []
          if (isLocalFile(file.name)) return []
          const isWorse = saferState(now.name) === (now.isOn ? 'off' : 'on')
          return isWorse ? [{ detail: `${now.name} is turned ${now.isOn ? 'on' : 'off'}.`, place }] : []
        })
      }),
  }),
  actFact({
    id: 'code-weakened',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        const removed = changedLines(file, 'removed')
        const added = changedLines(file, 'added')
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
        return added.flatMap(({ text, place }, nth): Fact[] => {
          const before = removed[nth]?.text ?? (removed.length === 1 ? removed[0]?.text : undefined)
          const what = before === undefined ? undefined : weakens(before, text)
          return what === undefined ? [] : [{ detail: `What protects gets weaker: ${what}.`, place }]
        })
      }),
  }),
  actFact({
    id: 'code-assurance-gone',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        const addedNames = matchNames(changedLines(file, 'added'), assurance)
        // A call that moves, or goes with the whole file, is another matter.
        if (file.isDeleted || changedLines(file, 'added').length === 0) return []
        const before = matchNames(changedLines(file, 'removed'), assurance)
        // Another call that makes as sure takes the place of one.
        const isReplaced = [...addedNames].some(
          name =>
            !before.has(name) &&
            /^(?:verify|authenticate|authori[sz]e|validate|safeparse|saniti[sz]e|purify|constructevent)/i.test(
              name,
            ),
        )
        return changedLines(file, 'removed').flatMap(({ text, place }): Fact[] => {
          if (/^\s*(?:import|from|export\s+\*|function|def|const\s+\w+\s*=\s*require)\b/.test(text)) return []
          if (
            together.test(text) &&
            !files.some(other =>
              changedLines(other, 'added').some(
                line => together.test(line.text) || atomicStep.test(line.text),
              ),
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
  actFact({
    id: 'code-access-rule-gone',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        if (file.isDeleted) return []
        const rule =
          /^\s*(?:auth_basic(?:_user_file)?\s+(?!off)|auth_request\s|deny\s+all|satisfy\s+all|ssl_verify_client\s+on|limit_(?:req|conn)\s|Require\s+(?!all\s+granted)\w|AuthType\s|basic_?auth\b|forward_auth\b|add_header\s+(?:Strict-Transport|Content-Security|X-Frame)\S*|requirepass\s|AllowUsers\s|DenyUsers\s)/i
        const gone = changedLines(file, 'removed').find(({ text }) => rule.test(text))
        return gone && !changedLines(file, 'added').some(({ text }) => rule.test(text))
          ? [
              {
                detail: `It no longer says who may come in: ${gone.text.trim().slice(0, 60)}`,
                place: gone.place,
              },
            ]
          : []
      }),
  }),
  actFact({
    id: 'code-runs-as-root',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
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
