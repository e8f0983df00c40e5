import type { Setting } from '../read/settings.ts'
import { type Rule, settingRule } from '../rule.ts'
import { isTyposquat } from './packages.ts'
import { isLocalSetting } from './words.ts'

const listForm =
  /(?:^|\.)(?:(?:dev|peer|optional|build|bundled|runtime|main)?_?-?dependencies|requires?|require_dev|packages|overrides|resolutions)\.((?:@[\w.-]{1,80}\/)?[\w.@/-]{1,80}?)(?:\.(git|url|github|branch|rev|tag|version|path|source|ref))?$/

const runtimes = /^(?:python|node|npm|yarn|pnpm|php|ruby|java|rust|engines?|ext[-_]\w+|version)$/

const anyVersion = /^(?:\*|latest|x|>=?\s?0(?:\.0){0,2}|dev-\w{1,40}|@dev|any|"")$/i
const address = /^(?:git(?:\+|:|@)|https?:\/\/|github:|gitlab:|bitbucket:|gist:|ssh:)/

/** Whether the address names one state for good: a tag, a commit, a checksum. */
const isPinned = (value: string, near: readonly Setting[]): boolean =>
  /[#@](?:v?\d+(?:\.\d+)+|[0-9a-f]{7,64})$|sha\d{3}-/.test(value) ||
  near.some(
    ({ key, value }) =>
      /^(?:rev|tag|ref|commit|sha\w*)$/.test(key) && !/^(?:main|master|head|dev\w*)$/i.test(value),
  )

/** Dependencies of a whole manifest, which is no diff. */
export const packageRules: readonly Rule[] = [
  settingRule({
    id: 'config-dependency-open',
    category: 'dependencies',
    severity: 'medium',
    fix: 'Pin a version from the registry, and keep the lock file.',
    hits: [
      '[tool.poetry.dependencies]\nrequests = {git = "https://git.example.net/x/requests.git", branch = "speedup"}',
      '{"dependencies": {"lodash": "*"}}',
      '{"dependencies": {"left-pad": "github:someone/left-pad"}}',
      '[dependencies]\njwt = { git = "https://git.example.net/x/jwt" }',
      '{"require": {"acme/auth": "dev-main"}}',
      '{"devDependencies": {"expresss": "^4.0.0"}}',
    ],
    misses: [
      '[tool.poetry.dependencies]\npython = "*"\nrequests = "2.32.3"',
      '{"dependencies": {"lodash": "^4.17.21"}}',
      '[dependencies]\njwt = { git = "https://git.example.net/x/jwt", tag = "v1.2.0" }',
      '{"dependencies": {"left-pad": "github:someone/left-pad#v1.3.0"}}',
      '{"engines": {"node": "*"}}',
      '{"peerDependencies": {"react": "*"}}',
    ],
    see: (setting, artifact) => {
      const { path, value, isRemoved } = setting
      if (isRemoved || setting.place.file !== undefined || isLocalSetting(setting, artifact)) return undefined
      const [, name = '', detail] = listForm.exec(path) ?? []
      if (name === '' || runtimes.test(name) || /peer_?-?dependencies\./.test(path)) return undefined
      const parent = path.slice(0, path.lastIndexOf('.') + 1)
      const near =
        detail === undefined ? [] : artifact.settings.filter(other => other.path.startsWith(parent))
      if (/^(?:git|url|github|source)$/.test(detail ?? '') || (detail === undefined && address.test(value)))
        return (
          !isPinned(value, near) && {
            detail: `${name} comes from an address where it may change at any time.`,
            severity: 'high' as const,
          }
        )
      if ((detail === undefined || detail === 'version') && anyVersion.test(value))
        return `${name} may be any version.`
      if (detail !== undefined || /^[{[]/.test(value)) return undefined
      const like = isTyposquat(name.replaceAll('_', '-'), /tool\.|packages\./.test(path) ? 'pypi' : 'npm')
      return like && { detail: `${name} is spelt almost as ${like} is.`, severity: 'blocker' as const }
    },
  }),
]
