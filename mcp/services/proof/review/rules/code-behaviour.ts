import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { diff } from './code-lines.ts'

const isCode = ({ isComment, isProse }: Line): boolean => !isComment && !isProse

const linesByFile = new WeakMap<DiffFile, Map<Line['change'], Line[]>>()

/** Lines of code of one kind, looked for once. */
const linesOf = (file: DiffFile, change: Line['change']): Line[] => {
  let byChange = linesByFile.get(file)
  if (!byChange) {
    byChange = new Map()
    for (const line of file.lines) {
      if (!isCode(line)) continue
      const list = byChange.get(line.change)
      if (list) list.push(line)
      else byChange.set(line.change, [line])
    }
    linesByFile.set(file, byChange)
  }
  return byChange.get(change) ?? []
}

/** What the author says before the first file of a diff: subject and message. */
const messageOf = (text: string): string => {
  const end = text.search(/^(?:diff --git |--- |@@ )/m)
  return (end < 0 ? '' : text.slice(0, end)).slice(0, 3000)
}

const saysNoChange =
  /\b(?:no|without(?:\s+any)?|not\s+a)\s+(?:functional|behaviou?r(?:al)?|semantic|user-visible)\s+changes?\b|\bno\s+change\s+in\s+behaviou?r\b|\b(?:same|identical|unchanged)\s+(?:behaviou?r|results?|output|logic|semantics)\b|\bbehaviou?r\s+(?:is\s+|stays\s+|remains\s+)?(?:unchanged|the\s+same|identical)\b|\b(?:purely\s+)?(?:cosmetics?|shorter\s+names?|refactor(?:ing)?|re-?format\w*|tidy(?:ing)?|clean-?up|cleanup|whitespace|style\s+only|rename(?:\s+only|s)?|typo|comment\s+only|easier\s+to\s+read|extract\s+(?:constants?|variables?|helpers?))\b/i
const saysFix =
  /\b(?:fix(?:es|ed)?|bug|wrong|invert(?:ed)?|correct(?:s|ed)?|regression|adjust\w*|update[sd]?|raise[sd]?|lower(?:s|ed)?|bump|new\s+(?:limit|rate|value))\b/i

/** A number as code writes it: `50_000`. */
const toNumber = (value: string): number => Number(value.replaceAll('_', ''))

const literals = (lines: readonly Line[]): Map<string, Line> => {
  const found = new Map<string, Line>()
  for (const line of lines)
    for (const [value] of line.text.matchAll(/(?<![\w.])\d{1,15}(?:[._]\d{1,12}){0,4}(?![\w.])/g))
      if (!found.has(value)) found.set(value, line)
  return found
}

type Comparison = { left: string; right: string; isStrict: boolean }

const strip = (text: string): string =>
  text.replace(/\b(?:if|while|return|and|or|where|not|elif|when|unless|assert)\b|[\s();{}:]/gi, '')

/** A comparison of a line, written so that the less stands first. */
const comparisonOf = (text: string): Comparison | undefined => {
  const parts = text.slice(0, 300).split(/(?<![-=<>!])(<=?|>=?)(?![<>=])/)
  const [left = '', operator = '', right = ''] = parts
  if (parts.length !== 3 || /<\w+>/.test(text)) return undefined
  const [a, b] = [strip(left), strip(right)]
  if (a === '' || b === '') return undefined
  return operator.startsWith('<')
    ? { left: a, right: b, isStrict: operator === '<' }
    : { left: b, right: a, isStrict: operator === '>' }
}

const unitFactor =
  /(?:[/*]\s*|\*\*\s*)(1_?000(?:_?000)*(?:\.0+)?|1e-?[369]|100(?:\.0+)?|60(?:\.0+)?|3_?600|24|86_?400|1024|0\.001|0\.01|0\.4536|2\.2046\d*|1\.8|0\.3048|25\.4|2\.54|1\.609\d*)(?![\w.])/
const unitWord =
  /\b\w*(?:micro|milli|kilo|grams?|mg\b|kg\b|ml\b|litre|liter|seconds?|minutes?|hours?|millis|ms\b|cents?|percent|pct|metres?|meters?|feet|inch|celsius|fahrenheit|bytes?|wei|sats?|bps|basis|units?|dose|km\b|mph|kmh)\w*/i

/** An assertion that says what comes out, and one that says hardly anything. */
const assertsValue =
  /\bassert\w*\b.*(?:==|,\s*\S)|\bassert(?:_?eq|Equals?|Same|That)\w*!?\s*\(|\.to(?:Be|Equal|StrictEqual|MatchObject|Throw|HaveLength)\(\s*[^\s)]|\.should(?:\.be)?\.(?:equal|eq)\b|\bexpect\(.*\)\.to\s+eq\b|\brequire\.Equal\b|XCTAssertEqual/
const assertsLittle =
  /\bassert\w*\b.*\b(?:is\s+not\s+None|!=\s*(?:None|null|nil)|isinstance\b|>=?\s*0\b)|\bassert\s+(?:True|\w+)\s*$|\bassert(?:NotNull|NotNil|IsNotNone|IsInstance|True\(\s*true)|\.(?:toBeDefined|toBeTruthy|not\.toBeNull|not\.toBeUndefined|not\.toThrow)\(|\.toEqual\(expect\.any|\.toBe\(true\)\s*\/\/\s*todo|\brequire\.NotNil\b|\bassert\.(?:NotNil|ok)\b|XCTAssertNotNil|\.not_to\s+be_nil|expect\(true\)/

/** Cheap, and so of every line; the costly expression is of those that it lets through. */
const mayTrust =
  /verif|trust|ssl|DangerousAccept|Validation|URLCredential|accept_invalid|insecureHTTP|ignoreHTTPS|ignore-cert|setCert|checkServer/i

const trustsAll =
  /\bcheckServerTrusted\s*\([^)]{0,200}\)[^{}\n]{0,60}\{\s*\}|\bcheckServerTrusted\s*\([^)]{0,200}\)\s*=\s*Unit|hostname_?verifier\b[^\n]{0,80}(?:true\b|NoopHostname|ALLOW_ALL|AllowAll)|\bverify\s*\([^)]{0,120}\bSSLSession\b[^)]{0,60}\)[^\n]{0,20}\breturn\s+true|TrustAll\w*|TrustEverything|InsecureTrustManagerFactory|DangerousAcceptAny|Server(?:Certificate)?(?:Custom)?Validation(?:Callback)?\s*\+?=[^\n]{0,80}\btrue\b|RemoteCertificateValidationCallback[^\n]{0,80}\btrue\b|\bverify_hostname\s*=>\s*0|SSL_verify_mode\s*=>\s*(?:0|SSL_VERIFY_NONE)|:verify_none|verify_mode\s*=\s*OpenSSL::SSL::VERIFY_NONE|URLCredential\(\s*trust:|\.danger_accept_invalid_\w+\(\s*true|set_verify\(\s*SslVerifyMode::NONE|SSL_CTX_set_verify\([^)]{0,60}SSL_VERIFY_NONE|CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:0|false)|verify_ssl\s*[=:]\s*False|ssl\s*=\s*False\b|insecureHTTPParser|setCertificateVerifyProc\([^\n]{0,80}\(\s*0\s*\)|ignore-certificate-errors|ignoreHTTPSErrors\s*:\s*true|checkServerIdentity\s*:\s*\([^)]{0,40}\)\s*=>\s*(?:undefined|null|\{\s*\}|true)/i

/** Whether a page is loaded although its certificate is wrong: what is called then lets it go on. */
const goesOn = (lines: readonly Line[], nth: number): boolean =>
  /onReceivedSslError|certificate-error|didReceive\s+challenge|badCertificate/i.test(
    lines[nth]?.text ?? '',
  ) &&
  lines
    .slice(nth, nth + 5)
    .some(({ text }) => /\.proceed\(\s*\)|\bcallback\(\s*true\s*\)|=>\s*true\b|\breturn\s+true\b/.test(text))

const dangerWord =
  /fault|door|e_?stop|smoke|flame|leak|obstacle|presence|over(?:temp|load|current|pressure|speed|heat|draft|flow)|under(?:volt|flow)|\bmax|\bmin|_max|_min|max_|min_|limit|alarm|interlock|unsafe|safe|watchdog|emergency|pressure|temp|level|threshold|stale|expired|exceed|invalid|mismatch|duplicate|already|empty|insufficient|balance|locked|frozen|blocked|consent|allergy|contraindicat|\bnull\b|\bNone\b|\bnil\b|<|>|!=/i
const stopWord =
  /\b(?:return|throw|raise|abort|panic|break|continue|halt|exit|trip|shutdown|stop|off|reject|refuse|disable|kill|alarm|emergency)|_off\b|_stop\b|shut_?off|\boff\(|:=\s*FALSE\b/i
const deadCode =
  /\b(?:dead\s+code|unused|unreachable|obsolete|deprecated|never\s+(?:reached|true|used)|no\s+longer\s+(?:needed|used|possible)|moved\s+(?:to|into)|now\s+(?:done|checked|handled)|feature\s+flag|checked\s+(?:in|by)|already\s+(?:checked|done|validated))\b/i

const alarmBound =
  /\b(\w{0,40}(?:low|high|min|max|limit|threshold)\w{0,20})["']?\s*[:=]?\s*(\d{1,6}(?:\.\d{1,3})?)\b/i

/** A bound at which an alarm goes off, moved outwards; or an alarm that a switch keeps quiet. */
const alarmsLater = (file: DiffFile): Line | undefined => {
  if (
    !file.lines.some(({ text }) =>
      /\balarm|_alarm|\balert_(?:nurse|staff)|siren/i.test(`${text} ${file.name}`),
    )
  )
    return undefined
  const before = new Map(
    linesOf(file, 'removed').flatMap(({ text }): [string, number][] => {
      const [, name, value] = alarmBound.exec(text) ?? []
      return name === undefined ? [] : [[name, Number(value)]]
    }),
  )
  return linesOf(file, 'added').find(({ text }) => {
    if (
      /alarm/i.test(text) &&
      /(?:&&|\band\b)\s*(?:!|not\b)\s*\w{0,20}(?:silent|mute|quiet|snooze|suppress)/i.test(text)
    )
      return true
    const [, name = '', value] = alarmBound.exec(text) ?? []
    const was = before.get(name)
    if (was === undefined) return false
    return /low|min/i.test(name)
      ? Number(value) < was * 0.95
      : /high|max/i.test(name) && Number(value) > was * 1.05
  })
}

const repeatKey = /idempoten\w*|dedup\w*|\brequest_?id\b|client_?order_?id|x-request-id/i
const money = /\b(?:pay|transfer|charge|refund|payout|order|invoice|credit|debit|withdraw|post)\w*/i

/** What code does otherwise than before although nothing says so: units, bounds of safety, what a test asks. */
export const behaviourRules: readonly Rule[] = [
  wholeRule({
    id: 'code-trusts-all',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Check certificates and names; trust a private authority by its certificate.',
    hits: [
      diff('Net.kt', '+  override fun checkServerTrusted(c: Array<X509Certificate>, a: String) {}'),
      diff('Net.java', '+    builder.hostnameVerifier((host, session) -> true);'),
      diff('Client.cs', '+handler.ServerCertificateCustomValidationCallback = (m, c, ch, e) => true;'),
      diff(
        'Help.java',
        '+  public void onReceivedSslError(WebView v, SslErrorHandler handler, SslError e) {',
        '+    handler.proceed();',
      ),
      diff(
        'main.js',
        "+app.on('certificate-error', (e, w, u, err, cert, callback) => {",
        '+  callback(true)',
      ),
      diff('tls.pl', '+my $ua = LWP::UserAgent->new(ssl_opts => { verify_hostname => 0 });'),
    ],
    misses: [
      diff('Net.kt', '-  override fun checkServerTrusted(c: Array<X509Certificate>, a: String) {}'),
      diff('Net.java', '+    builder.hostnameVerifier(OkHostnameVerifier.INSTANCE);'),
      diff('Client.cs', '+handler.ServerCertificateCustomValidationCallback = PinnedOnly;'),
      diff(
        'Pins.swift',
        '+    guard SecTrustEvaluateWithError(trust, nil) else { return done(.cancel, nil) }',
        '+    done(.useCredential, URLCredential(trust: trust))',
      ),
      diff(
        'Help.java',
        '+  public void onReceivedSslError(WebView v, SslErrorHandler handler, SslError e) {',
        '+    handler.cancel();',
      ),
    ],
    see: ({ files, lines }) => {
      const added =
        files.length > 0
          ? files.flatMap(file => linesOf(file, 'added'))
          : lines.filter(line => line.change === 'plain' && isCode(line))
      const isEvaluated = lines.some(
        ({ text, change }) => change !== 'removed' && /SecTrustEvaluate|\.evaluate\(/.test(text),
      )
      const line = added.find(
        (line, nth) =>
          !line.isTest &&
          ((mayTrust.test(line.text) &&
            trustsAll.test(line.text) &&
            !(isEvaluated && /URLCredential\(/.test(line.text))) ||
            goesOn(added, nth)),
      )
      return (
        line && {
          detail: `It does not check who is at the other end: ${line.text.trim().slice(0, 60)}`,
          place: line.place,
        }
      )
    },
  }),
  wholeRule({
    id: 'code-safety-stop-gone',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep the stop, or say in the change what stops it now.',
    hits: [
      diff('a.c', '-#define SPO2_LOW 90', '+#define SPO2_LOW 70', ' 	if (spo2 < SPO2_LOW) alarm_on();'),
      diff('lift.st', '-IF door_open THEN motor := FALSE; END_IF;', ' motor := call;'),
      diff(
        'pump.c',
        '-	if (pressure > MAX_BAR) {',
        '-		valve_close();',
        '-		return;',
        '-	}',
        ' 	pump_run();',
      ),
      diff(
        'crane.py',
        '-    if load_kg > LIMIT_KG:',
        '-        brake.stop()',
        '-        return',
        '     lift(load_kg)',
      ),
      diff('pay.go', '-	if already(p.ID) {', '-		return nil', '-	}', ' 	send(p)'),
    ],
    misses: [
      diff('a.c', '-#define SPO2_LOW 85', '+#define SPO2_LOW 90', ' 	if (spo2 < SPO2_LOW) alarm_on();'),
      diff(
        'pump.c',
        '-	if (pressure > MAX_BAR) {',
        '+	if (pressure >= MAX_BAR) {',
        ' 		valve_close();',
        ' 		return;',
      ),
      diff(
        'crane.py',
        '-    if load_kg > LIMIT_KG:',
        '-        return',
        '+    ensure_below(load_kg, LIMIT_KG)',
      ),
      diff('ui.ts', '-  if (theme === "dark") {', '-    paint()', '-  }'),
    ],
    see: ({ files, text }) => {
      if (deadCode.test(messageOf(text))) return []
      return files.flatMap((file): Hit[] => {
        if (file.isDeleted || file.lines.some(({ isTest }) => isTest)) return []
        const later = alarmsLater(file)
        if (later)
          return [
            {
              detail: `It sounds the alarm later, or not at all: ${later.text.trim().slice(0, 80)}`,
              place: later.place,
            },
          ]
        const added = linesOf(file, 'added')
          .map(({ text }) => text)
          .join('\n')
        for (const [nth, line] of file.lines.entries()) {
          if (
            line.change !== 'removed' ||
            !isCode(line) ||
            !/^\s*(?:\}\s*)?(?:else\s+)?(?:if|IF|unless|guard)\b/.test(line.text)
          )
            continue
          const condition = line.text
            .replace(/^\s*(?:\}\s*)?(?:else\s+)?(?:if|IF|unless|guard)\b/, '')
            .replace(/\bTHEN\b.*$/, '')
          if (!dangerWord.test(condition)) continue
          const block: Line[] = []
          for (const next of file.lines.slice(nth, nth + 8)) {
            if (next.change !== 'removed') break
            block.push(next)
          }
          const every = [...condition.matchAll(/[A-Za-z_]\w{2,}/g)].map(([name]) => name)
          // A bound in capitals is what stops it, whatever else the condition asks.
          const bounds = every.filter(name => /^(?!NULL$|TRUE$|FALSE$)[A-Z][A-Z\d_]{3,}$/.test(name))
          const names = bounds.length > 0 ? bounds : every
          if (
            block.some(({ text }) => stopWord.test(text.replace(condition, ''))) &&
            names.length > 0 &&
            !names.some(name => added.includes(name))
          )
            return [
              { detail: `What stopped it is gone: ${line.text.trim().slice(0, 80)}`, place: line.place },
            ]
        }
        return []
      })
    },
  }),
  wholeRule({
    id: 'code-says-no-change',
    category: 'code',
    type: 'patch',
    severity: 'high',
    fix: 'Say in the message what changes and why, or keep the value.',
    hits: [
      `Subject: extract constants, no functional change\n\n${diff('pay.py', '-    return hours * rate * 1.5', '+OVERTIME = 1.25', '+    return hours * rate * OVERTIME')}`,
      `Subject: [PATCH] tidy the tax table\n\nSame behaviour.\n---\n${diff('tax.go', '-	{12000, 0.19},', '+	{12000, 0.16},')}`,
      `Subject: cleanup\n\n${diff('purge.sql', ' DELETE FROM logs', '- WHERE at < cutoff', '+ WHERE cutoff < at')}`,
    ],
    misses: [
      `Subject: extract constants, no functional change\n\n${diff('pay.py', '-    return hours * rate * 1.5', '+OVERTIME = 1.5', '+    return hours * rate * OVERTIME')}`,
      `Subject: raise overtime to 1.75 as agreed\n\n${diff('pay.py', '-OVERTIME = 1.5', '+OVERTIME = 1.75')}`,
      `Subject: cleanup\n\n${diff('purge.sql', ' DELETE FROM logs', '- WHERE at < cutoff', '+ WHERE cutoff > at')}`,
    ],
    see: ({ files, text }) => {
      const message = messageOf(text)
      if (!saysNoChange.test(message) || saysFix.test(message)) return []
      return files.flatMap((file): Hit[] => {
        if (file.isDeleted || /\.(?:lock|svg|css|scss|md)$|lock\.json$|package\.json$/.test(file.name))
          return []
        const [removed, added] = [linesOf(file, 'removed'), linesOf(file, 'added')]
        for (const [nth, line] of added.entries()) {
          const is = comparisonOf(line.text)
          const was = comparisonOf(removed[nth]?.text ?? '')
          if (
            is &&
            was &&
            ((is.left === was.right && is.right === was.left) ||
              (is.left === was.left && is.right === was.right && is.isStrict !== was.isStrict))
          )
            return [
              {
                detail: `It says that nothing changes, and a comparison does: ${line.text.trim().slice(0, 60)}`,
                place: line.place,
              },
            ]
        }
        const [before, after] = [literals(removed), literals(added)]
        const gone = [...before.keys()].filter(
          value => !after.has(value) && (toNumber(value) > 1 || value.includes('.')),
        )
        const come = [...after.entries()].find(
          ([value]) => !before.has(value) && !gone.some(old => toNumber(old) === toNumber(value)),
        )
        return gone.length > 0 && come
          ? [
              {
                detail: `It says that nothing changes, and ${gone[0]} becomes ${come[0]}.`,
                place: come[1].place,
              },
            ]
          : []
      })
    },
  }),
  wholeRule({
    id: 'code-unit-dropped',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep the conversion, or rename what holds the value.',
    hits: [
      diff(
        'dose.java',
        '   double doseMg(double microgramsPerKg) {',
        '-    return microgramsPerKg * weight / 1000.0;',
        '+    return microgramsPerKg * weight;',
      ),
      diff('wait.js', '-  setTimeout(retry, seconds * 1000)', '+  setTimeout(retry, seconds)'),
      diff('fee.py', '-    amount_cents = price * 100', '+    amount_cents = price'),
    ],
    misses: [
      diff('wait.js', '-  setTimeout(retry, seconds * 1000)', '+  setTimeout(retry, toMillis(seconds))'),
      diff(
        'wait.js',
        '-  setTimeout(retry, seconds * 1000)',
        '+  setTimeout(retry, seconds * MS_PER_SECOND)',
      ),
      diff('grid.js', '-  const width = 100 * share', '+  const width = share'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const added = linesOf(file, 'added')
        if (file.isDeleted || added.length === 0 || file.lines.some(({ isTest }) => isTest)) return []
        const after = added.map(({ text }) => text).join('\n')
        if (
          unitFactor.test(after) ||
          /\b(?:to|from|as|in)_?(?:[A-Z]\w*|milli\w*|sec\w*|cents?|percent|mg|kg)\s*\(|convert|Duration|Decimal|timedelta|[A-Z]{2,}_PER_\w+|PER_[A-Z]+|\b[A-Z][A-Z_]{3,}\b/.test(
            after,
          )
        )
          return []
        const line = linesOf(file, 'removed').find(({ text }) => unitFactor.test(text))
        if (!line) return []
        const near = file.lines
          .map(({ text }) => text)
          .join('\n')
          .slice(0, 4000)
        // What was computed must be computed still: a name of the line stands in what came for it.
        const names = line?.text.match(/[A-Za-z_]\w{3,}/g) ?? []
        return line &&
          unitWord.test(near) &&
          names.some(name => !/^(?:return|const|double|float)$/.test(name) && after.includes(name))
          ? [{ detail: `A conversion of units is gone: ${line.text.trim().slice(0, 80)}`, place: line.place }]
          : []
      }),
  }),
  wholeRule({
    id: 'code-assertion-weakened',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Let the test say what comes out.',
    hits: [
      diff(
        'tests/test_total.py',
        '-    assert total(x) == Decimal("71.96")',
        '+    assert total(x) is not None',
      ),
      diff('src/cart.test.ts', '-  expect(total(cart)).toBe(4250)', '+  expect(total(cart)).toBeDefined()'),
      diff('pay_test.go', '-	require.Equal(t, 12, got)', '+	require.NotNil(t, got)'),
    ],
    misses: [
      diff(
        'tests/test_total.py',
        '-    assert total(x) is not None',
        '+    assert total(x) == Decimal("71.96")',
      ),
      diff('src/cart.test.ts', '-  expect(total(cart)).toBe(4250)', '+  expect(total(cart)).toBe(4300)'),
      diff('src/cart.test.ts', '+  expect(total(cart)).toBeDefined()'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (!file.lines.some(({ isTest }) => isTest)) return []
        const [removed, added] = [linesOf(file, 'removed'), linesOf(file, 'added')]
        const strong = (lines: readonly Line[]) =>
          lines.filter(({ text }) => assertsValue.test(text) && !assertsLittle.test(text)).length
        const little = added.find(({ text }) => assertsLittle.test(text))
        return little && strong(removed) > strong(added)
          ? [{ detail: `The test asks for less: ${little.text.trim().slice(0, 80)}`, place: little.place }]
          : []
      }),
  }),
  wholeRule({
    id: 'code-repeats-payment',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Send the key that makes a repeated request count once.',
    hits: [
      diff(
        'send.py',
        '-    bank.post("/transfers", json=p, headers={"Idempotency-Key": p.id})',
        '+    bank.post("/transfers", json=p)',
      ),
      diff(
        'charge.ts',
        '-  stripe.charges.create(body, { idempotencyKey: order.id })',
        '+  stripe.charges.create(body)',
      ),
    ],
    misses: [
      diff(
        'send.py',
        '-    bank.post("/transfers", json=p)',
        '+    bank.post("/transfers", json=p, headers={"Idempotency-Key": p.id})',
      ),
      diff('charge.ts', '-  charge(body, { idempotencyKey: a })', '+  charge(body, { idempotencyKey: b })'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const added = linesOf(file, 'added')
        if (file.isDeleted || added.length === 0 || added.some(({ text }) => repeatKey.test(text))) return []
        const line = linesOf(file, 'removed').find(({ text }) => repeatKey.test(text))
        return line && added.some(({ text }) => money.test(text))
          ? [
              {
                detail: `A repeated request would count twice: ${line.text.trim().slice(0, 80)}`,
                place: line.place,
              },
            ]
          : []
      }),
  }),
  wholeRule({
    id: 'code-timeout-dropped',
    category: 'code',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Keep a timeout, so that one that never answers does not hold all others up.',
    hits: [
      diff('get.py', '-    r = requests.get(url, timeout=5)', '+    r = requests.get(url)'),
      diff('get.ts', '-  await fetch(url, { signal: AbortSignal.timeout(5000) })', '+  await fetch(url)'),
    ],
    misses: [
      diff('get.py', '-    r = requests.get(url, timeout=5)', '+    r = requests.get(url, timeout=LIMIT)'),
      diff('get.ts', '-  await fetch(url, { signal: AbortSignal.timeout(5000) })'),
      diff('get.py', '-    r = requests.get(url, timeout=5)', '+    r = session.get(url)'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const added = linesOf(file, 'added')
        if (added.some(({ text }) => /timeout|deadline|signal/i.test(text))) return []
        const line = linesOf(file, 'removed').find(({ text }) => {
          const call = /[\w.]{3,60}\((?=[^\n]{0,200}\btimeout\b)/i.exec(text)?.[0]
          return call !== undefined && added.some(next => next.text.includes(call))
        })
        return line
          ? [{ detail: `It waits for ever: ${line.text.trim().slice(0, 80)}`, place: line.place }]
          : []
      }),
  }),
]
