import type { DiffFile } from '../read/lines.ts'
import { actFact, type Detector, type Fact, lineFact, narrow, partial, wide } from './fact.ts'
import { isTyposquat } from './packages.ts'

const manifest =
  /(?:^|\/)(?:package\.json|requirements[\w.-]*\.txt|Pipfile|pyproject\.toml|setup\.(?:py|cfg)|Gemfile|Cargo\.toml|go\.mod|composer\.json)$/

const lockfile =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Pipfile\.lock|Gemfile\.lock|Cargo\.lock|go\.sum|composer\.lock|uv\.lock)$/

const workflow = /(?:^|\/)\.github\/(?:workflows|actions)\//

const addedLines = ({ lines }: DiffFile) => lines.filter(({ change }) => change === 'added')

export const dependencyFacts: readonly Detector[] = [
  lineFact({
    id: 'dependency-source',
    where: ({ change, file }) => change === 'added' && (manifest.test(file) || lockfile.test(file)),
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
          scope: /curl|wget|https?:|base64|eval|powershell|\|\s*(?:ba)?sh/.test(script[2] ?? '')
            ? 'wide'
            : 'partial',
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
        return narrow(`${name} may be any version.`)
      const like = isTyposquat(name, /requirements|Pipfile|pyproject|setup/.test(file) ? 'pypi' : 'npm')
      return like && wide(`${name} is spelt almost as ${like} is.`)
    },
  }),
  actFact({
    id: 'workflow-danger',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        if (/CODEOWNERS$/.test(file.name)) {
          const gone = file.lines.find(({ change }) => change === 'removed')
          return gone && !addedLines(file).length
            ? [{ detail: 'Nobody has to look at these files any more.', place: gone.place }]
            : []
        }
        if (!workflow.test(file.name)) return []
        const all = file.lines.filter(({ change }) => change !== 'removed')
        return addedLines(file).flatMap(({ text, place }): Fact[] => {
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
            return [{ ...wide('Code of a stranger runs with the secrets of the repository.'), place }]
          if (
            /(?:echo|printf|curl|cat)[^\n]{0,80}\$\{\{\s*secrets\./.test(text) &&
            !/--password-stdin|>>\s*"?\$GITHUB_ENV|-H\s|header/i.test(text)
          )
            return [{ detail: 'A secret is printed or sent.', place }]
          const action = /uses:\s*([\w.-]+)\/[\w./-]+@(main|master|latest|HEAD|dev)\b/.exec(text)
          return action && action[1] !== 'actions'
            ? [{ ...narrow('Another project may change what runs at any time.'), place }]
            : []
        })
      }),
  }),
  lineFact({
    id: 'image-danger',
    where: ({ change, file, isComment }) =>
      change === 'added' && !isComment && /Dockerfile|Containerfile/.test(file),
    see({ text }) {
      if (/^FROM\s+\S+:latest\b/i.test(text)) return 'The image may be any version.'
      if (/^USER\s+(?:root|0)\b/i.test(text)) return 'The container runs as root.'
      if (/^ADD\s+http/i.test(text)) return 'It takes what another machine sends, unread.'
      if (/^(?:COPY|ADD)\s+\S*(?:\.env\b(?!\.)|id_rsa|\.pem\b|\.aws|\.ssh)/i.test(text))
        return partial('A secret becomes part of the image.')
      return (
        /^(?:ENV|ARG)\s+\w*(?:PASSWORD|SECRET|TOKEN|API_?KEY)\w*[ =](?![$"']?\s*$|\$)\S{4,}/i.test(text) &&
        partial('A secret becomes part of the image.')
      )
    },
  }),
]
