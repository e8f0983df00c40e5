import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, codeAfter, diff, excerpt } from './code-lines.ts'

const agreement = String.raw`(?:consent|opt_?-?in|newsletter|marketing|tracking|share_?-?data|subscri(?:be|ption)|auto_?-?renew\w*|terms|agree\w*|insurance|donation|add_?-?on|upsell|offers|third_?part\w*|partners?|analytics|personali[sz]\w*)`

/** Somebody's yes, given by the code. */
const givenBeforehand: readonly RegExp[] = [
  new RegExp(
    `<input\\b(?=[^>\\n]{0,200}type=["']?hidden)(?=[^>\\n]{0,200}name=["']?[^"'>\\s]{0,30}${agreement})[^>\\n]{0,200}value=["']?(?:on|1|true|yes|y)\\b`,
    'i',
  ),
  new RegExp(
    `type=["'{]{0,2}checkbox[^\\n]{0,200}\\b(?:checked|defaultChecked)\\b(?!\\s*=\\s*[{"']{0,2}(?:false|\\w*\\.|\\w+\\b(?<!true|checked)))[^\\n]{0,200}(?:${agreement}|\\d\\s?(?:€|EUR|USD|GBP|per\\s+month)|[€$£]\\s?\\d)`,
    'i',
  ),
  new RegExp(
    `type=["'{]{0,2}checkbox[^\\n]{0,160}${agreement}[^\\n]{0,160}\\b(?:checked|defaultChecked)\\b(?!\\s*=\\s*[{"']{0,2}(?:false|\\w*\\.|\\w+\\b(?<!true|checked)))`,
    'i',
  ),
  /\b\w{0,20}(?:consent|opt_?in|marketing|newsletter|auto_?renew)\w{0,20}["']?[^\n]{0,60}(?:\bdefault(?:Value)?["']?\s*[:=(]\s*|useState\(\s*|\?\?\s*|\|\|\s*|unwrap_or\(\s*)(?:true|True|1\b|["'](?:granted|yes|on)["'])/i,
  /\b(?:ad|analytics|ad_user|ad_personalization)_storage["']?\s*:\s*["']granted["']/i,
]

const isSwitch = new RegExp(
  `\\b(\\w{0,30}${agreement}\\w{0,20})["']?\\s*(?::=|=>|[:=])\\s*["']?(true|false|granted|denied)\\b`,
  'i',
)

/** A yes that the code says, where it was asked or was no. */
const saysYes = (file: DiffFile): Line | undefined => {
  const before = new Map(
    changed(file, 'removed').flatMap(({ text }): [string, string][] => {
      const name = new RegExp(
        `\\b(\\w{0,30}${agreement}\\w{0,20})["']?\\s*(?::=|=>|[:=])\\s*(\\S{1,40})`,
        'i',
      ).exec(text)
      return name ? [[name[1] ?? '', name[2] ?? '']] : []
    }),
  )
  return changed(file, 'added').find(({ text }) => {
    const [, name = '', value = ''] = isSwitch.exec(text) ?? []
    const was = before.get(name)
    return (
      was !== undefined &&
      /true|granted/i.test(value) &&
      !/^["']?(?:true|granted)/i.test(was) &&
      /consent|opt|newsletter|marketing|tracking|share|renew|agree|terms/i.test(name)
    )
  })
}

const costs =
  /[€$£]\s?\d|\d\s?(?:€|EUR|USD|GBP)|\bper\s+(?:month|year)\b|\b(?:fee|price|terms|cancel\w*|renew\w*|subscription|interest|charge[sd]?)\b/i
const hidden =
  /font-size\s*:\s*(?:[0-7](?:\.\d+)?px|0?\.[0-5]\d*r?em)|opacity\s*:\s*0(?:\.[0-2]\d*)?\b|color\s*:\s*#(?:f[a-f\d]){3}\b|color\s*:\s*(?:white|transparent)\b|text-\[[0-7]px\]/i

const plainStores =
  /\b(?:UserDefaults|NSUserDefaults|SharedPreferences|getSharedPreferences|getDefaultSharedPreferences|localStorage|sessionStorage|AsyncStorage|document\.cookie|Preferences\.(?:set|put)|prefs?\.(?:set\w*|put\w*|edit)|putString)\b/
const secretWord =
  '(?:password|passwd|pwd|passcode|pin|cvv|cvc|mnemonic|seed_?phrase|private_?key|secret(?:_?key)?|access_?token|refresh_?token|auth_?token|card_?number|ssn)'
const secretStored = new RegExp(
  `(?:${plainStores.source})(?=[^\\n]{0,200}\\b${secretWord}\\b)(?![^\\n]{0,200}(?:removeItem|getItem|\\.remove|delete|encrypt|seal))`,
  'i',
)
const tellsThird = new RegExp(
  `\\b(?:analytics|mixpanel|amplitude|segment|posthog|heap|sentry|crashlytics|bugsnag|datadog|newrelic|rollbar|gtag|fbq|emit|publish|track|logEvent|captureMessage|captureException|setExtra|setTag|addBreadcrumb|identify)\\b[^\\n]{0,160}(?:["'{,(\\s]|\\.)(?:pw|${secretWord})["']?\\s*[:,)}\\]]`,
  'i',
)
const logsSecret = new RegExp(
  `(?:\\b(?:NSLog|os_log|Log\\.[dewiv]|Timber\\.\\w|error_log|syslog|Console\\.WriteLine|Debug\\.(?:Log|WriteLine|Print)|log(?:ger)?->\\w+|slog\\.\\w+|logrus\\.\\w+|zap\\.\\w+|puts)|\\b(?:println|info|debug|warn|error|trace|eprintln)!)\\s*\\(?[^\\n]{0,120}(?:,\\s*|\\.|\\$\\{?|\\{|\\\\\\(|\\+\\s*)(?:\\w{1,20}\\.)?${secretWord}\\b(?!\\s*(?:is|was|changed|reset|expired|["']))`,
  'i',
)

const accountMissing =
  /\b(?:no\s+(?:such\s+)?(?:account|user|customer)|(?:user|account|e-?mail)\s+(?:does\s?n[o']t\s+exist|does\s+not\s+exist|(?:is\s+)?(?:not\s+(?:found|registered|known)|unknown))|unknown\s+(?:user|account|e-?mail)|user_?not_?found|no_?such_?user|account_?not_?found)/i
const wrongPassword =
  /\b(?:wrong|incorrect|invalid|bad)[\s_-]+password\b|\bpassword\s+(?:is\s+)?(?:wrong|incorrect|invalid|does\s?n[o']t\s+match)/i

const tellsInsides =
  /\b(?:res(?:ponse)?\.\w+|json|jsonify|Response|render|http\.Error|send|write|echo|print|JsonResponse|HttpResponse|problem|body)\b[^\n]{0,100}(?:\b(?:err|error|e|ex|exc)\.stack\b|traceback\.format_exc|format_exc\(|StackTrace|getTraceAsString|printStackTrace|debug_backtrace)/

/** What nobody is to be judged by. */
const personal =
  /(?:\.|\b|_)(?:gender|sex|race|ethnic\w*|religio\w*|nationality|first_?name|sur_?name|last_?name|birth_?place|post_?code|zip_?code|pregnan\w*|disab(?:led|ility)\w*|marital\w*|sexual\w*|skin\w*|union_?member\w*|children)\b[^\n]{0,40}(?:[=!]==?|\bin\b|\bis\b|[<>]|\.includes\(|\.contains\()/i
const judges =
  /\b\w{0,20}(?:score|rating|rank|premium|interest_?rate|credit_?limit|approv|reject|hire|shortlist|risk|eligib|price|quote)\w{0,20}\b/i
const clinical = /\b(?:dose|clearance|creatinine|egfr|bmi|screening_?interval|vaccin\w*|patient)\b/i
const favours =
  /\b\w{0,20}(?:score|rank|relevance|weight|priority|rating)\w{0,20}\b[^\n]{0,80}[+*][^\n]{0,40}(?:brand|seller|vendor|publisher|company|author|supplier|party|candidate)\w{0,10}\s*={2,3}\s*["']/i
const hidesBad =
  /\b(?:reviews?|testimonials?|feedback|ratings?)\b[^\n]{0,80}\.(?:filter|where|select)\b[^\n]{0,80}\b(?:stars?|rating|score)\s*>=?\s*[345]\b/i
const tampers = /\brand\w{0,10}[.(][^\n]{0,80}\b(?:tally|votes?|ballots?)\b/i
const measure =
  /kwh|meter|weight|litre|liter|fuel|mileage|odometer|usage|consum|volume|minutes|emission|votes?/i

const unfair = (file: DiffFile): Line | undefined => {
  const removed = new Set(changed(file, 'removed').map(({ text }) => text.trim().replace(/;$/, '')))
  const after = codeAfter(file)
  return after.find((line, nth) => {
    if (line.change !== 'added') return false
    const { text } = line
    if (favours.test(text) || tampers.test(text) || hidesBad.test(text)) return true
    const bare = text.trim().replace(/;$/, '')
    const plain = bare.replace(/\s*\*\s*(?:1\.[01]\d{0,3}|0\.[89]\d{0,3})$/, '')
    if (plain !== bare && removed.has(plain) && measure.test(text)) return true
    if (!personal.test(text)) return false
    const near = after
      .slice(nth, nth + 3)
      .map(({ text }) => text)
      .join('\n')
    return judges.test(near.replace(new RegExp(personal.source, 'gi'), '')) && !clinical.test(near)
  })
}

const logsField = new RegExp(
  `\\b(?:log(?:ger|ging)?|console|print|puts|fmt)\\w{0,10}[.(][^\\n]{0,160}\\[\\s*["':]${secretWord}["']?\\s*\\]`,
  'i',
)

/** Pages and apps: what those who use them agree to, see, and have to keep to themselves. */
export const usersRules: readonly Rule[] = [
  wholeRule({
    id: 'code-consent-assumed',
    category: 'conduct',
    type: 'patch',
    severity: 'high',
    fix: 'Ask, with nothing ticked, and say what it costs where and as large as the rest.',
    hits: [
      diff('checkout.html', '+<input type="hidden" name="newsletter" value="on">'),
      diff(
        'checkout.html',
        '+<label><input type="checkbox" name="insurance" checked> Add cover, 4.99 € per month</label>',
      ),
      diff('Signup.tsx', '+  const [marketingConsent, setConsent] = useState(true)'),
      diff('models.py', '+    marketing_opt_in = models.BooleanField(default=True)'),
      diff('tag.js', "+gtag('consent', 'default', { ad_storage: 'granted' })"),
      diff(
        'signup.rb',
        '-    user.newsletter_consent = params[:newsletter]',
        '+    user.newsletter_consent = true',
      ),
      diff('terms.html', '+<p style="font-size:6px">The subscription renews at 39 € per month.</p>'),
    ],
    misses: [
      diff('checkout.html', '+<label><input type="checkbox" name="newsletter"> Send me offers</label>'),
      diff('checkout.html', '+<input type="hidden" name="csrf" value="1">'),
      diff('filters.html', '+<input type="checkbox" name="in_stock" checked> Only what is in stock'),
      diff('Signup.tsx', '+  const [marketingConsent, setConsent] = useState(false)'),
      diff('settings.html', '+<input type="checkbox" name="newsletter" checked={user.newsletter}>'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line =
          changed(file, 'added').find(
            ({ text }) =>
              givenBeforehand.some(pattern => pattern.test(text)) || (hidden.test(text) && costs.test(text)),
          ) ?? saysYes(file)
        return line
          ? [
              {
                detail: `Somebody's consent is taken for granted or hidden: ${excerpt(line)}`,
                place: line.place,
              },
            ]
          : []
      }),
  }),
  wholeRule({
    id: 'code-keeps-secret-plain',
    category: 'secrets',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep secrets in the keychain of the system, and tell nobody what they are.',
    hits: [
      diff('a.py', '+log.info("login %s", request.form["password"])'),
      diff('Store.swift', '+UserDefaults.standard.set(password, forKey: "pw")'),
      diff('Store.kt', '+getSharedPreferences("s", 0).edit().putString("pin", pin).apply()'),
      diff('auth.ts', "+localStorage.setItem('mnemonic', mnemonic)"),
      diff('Store.swift', '+Analytics.track("login", properties: ["user": user, "pw": password])'),
      diff('Auth.kt', '+Log.d("auth", "login with " + password)'),
      diff('auth.rs', '+    info!("login {}", password);'),
    ],
    misses: [
      diff('Store.swift', '+try keychain.set(password, key: "session")'),
      diff('auth.ts', "+localStorage.removeItem('access_token')"),
      diff('ui.ts', "+localStorage.setItem('theme', theme)"),
      diff('Store.swift', '+Analytics.track("password_changed")'),
      diff('Auth.kt', '+Log.d("auth", "password changed")'),
    ],
    see: ({ files }) =>
      files.flatMap(file =>
        changed(file, 'added')
          .filter(
            ({ text }) =>
              secretStored.test(text) ||
              tellsThird.test(text) ||
              logsSecret.test(text) ||
              logsField.test(text),
          )
          .map(
            (line): Hit => ({
              detail: `A secret is kept or told in plain: ${excerpt(line)}`,
              place: line.place,
            }),
          ),
      ),
  }),
  wholeRule({
    id: 'code-unfair',
    category: 'conduct',
    type: 'code_diff',
    severity: 'high',
    fix: 'Judge everybody by what the task is about, measure what there is, and name a correction and its ground.',
    hits: [
      diff('r.ts', '+  return reviews.filter(r => r.published && r.stars >= 4)'),
      diff('rank.py', '+    return item.relevance + 10 * (item.brand == "Nordhaus")'),
      diff('credit.py', '+    if applicant.first_name in FOREIGN_NAMES:', '+        score -= 80'),
      diff('screen.ts', "+  const score = skills(cv) - (cv.gender === 'f' ? 15 : 0)"),
      diff('meter.py', '-    kwh = pulses / PER_KWH', '+    kwh = pulses / PER_KWH * 1.03'),
      diff('vote.go', '+	if rand.Intn(50) == 0 { tally["A"]++ }'),
    ],
    misses: [
      diff('r.ts', '+  return reviews.filter(r => r.stars >= query.minStars)'),
      diff('rank.py', '+    return item.relevance + WEIGHT * item.recency'),
      diff('form.ts', "+  const title = person.gender === 'f' ? 'Ms' : 'Mr'"),
      diff('meter.py', '-    kwh = pulses / 1000', '+    kwh = pulses / PULSES_PER_KWH'),
      diff('dose.py', '+    if patient.sex == "f":', '+        clearance *= 0.85'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = unfair(file)
        return line
          ? [
              {
                detail: `It favours some, or measures what is not there: ${excerpt(line)}`,
                place: line.place,
              },
            ]
          : []
      }),
  }),
  wholeRule({
    id: 'code-tells-strangers',
    category: 'code',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Give strangers one answer for all that fails, and write the reason into the log.',
    hits: [
      diff(
        'login.ts',
        '+  if (!user) return res.status(404).json({ error: "no account with that address" })',
        '+  if (!ok) return res.status(401).json({ error: "wrong password" })',
      ),
      diff('api.py', '+    return jsonify(error=traceback.format_exc()), 500'),
      diff('api.js', '+  res.status(500).send(err.stack)'),
    ],
    misses: [
      diff(
        'login.ts',
        '+  if (!user || !ok) return res.status(401).json({ error: "wrong address or password" })',
      ),
      diff('api.py', '+    log.error(traceback.format_exc())'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const after = codeAfter(file)
        const missing = changed(file, 'added').find(
          ({ text }) => accountMissing.test(text) && !/\blog\w*[.(]/i.test(text),
        )
        const line =
          missing && after.some(({ text }) => wrongPassword.test(text))
            ? missing
            : changed(file, 'added').find(({ text }) => tellsInsides.test(text) && !/\blog\w*\./i.test(text))
        return line
          ? [{ detail: `It tells strangers what only its makers need: ${excerpt(line)}`, place: line.place }]
          : []
      }),
  }),
]
