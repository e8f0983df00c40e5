import type { DiffFile, Line } from '../read/lines.ts'
import { actFact, type Detector, type Fact, narrow } from './fact.ts'

const authWords =
  /@\w{0,20}(?:Secur|Auth|Role|Permi|Admin|Login|Csrf|Guard)\w{0,30}|\b(?:require_?auth\w*|is_?authenticated|authenticate\w*|authori[sz]e\w*|login_required|permission_(?:classes|required)|PreAuthorize|RolesAllowed|Authorize|verify_?(?:token|signature|jwt|password|webhook|csrf)\w*|check_?(?:permission|access|auth|role|owner)\w*|has_?(?:permission|role|access)\w*|csrf\w*|isAdmin|is_?owner|ensure_?(?:auth|logged|admin)\w*|before_action :auth\w*|compare_digest|hash_equals|current_user_can|wp_verify_nonce|check_admin_referer|bcrypt\.compare\w*|argon2\.verify|password_verify|check_?password\w*|timingSafeEqual|onlyOwner|nonReentrant|jwt\.verify|rate_?limit\w*|throttle\w*|validate_?(?:signature|token|session|input|schema)\w*|sanitize\w*|escape_?html|helmet|passport\.\w+|requireRole|requireLogin|guard)\b/i

/** Calls that refuse by themselves: a schema that reads text, a policy asked for its error. */
const handsOn =
  /\b\w*[sS]chema\w*\.(?:parse|validate|assert)\w*\(|\berr\s*:?=\s*[\w.]{0,60}(?:[pP]olicy|[vV]alidat|[aA]uthori[sz]|[cC]heck|Can[A-Z]|[eE]nsure|[vV]erif)[\w.]{0,40}\(|\.model_validate\w*\(|\b\w{0,20}(?:limits?|polic(?:y|ies)|guards?|permissions?|validator)\.(?:check|enforce|assert|ensure|require|validate|verify|authorize)\w*!?\(|\b(?:ensure|require|assert|check|authori[sz]e)(?:_|[A-Z])\w*!?\(/

/** True when what a refusal asked about is asked about on a line that comes: two refusals in one, or the same by another name. */
const isAskedStill = ({ text }: Line, { lines }: DiffFile): boolean => {
  const [, asked, call] =
    /\b(?:if|unless|guard|match)\b[\s(!]{0,6}([A-Za-z_$][\w$]{0,40}(?:\??\.[\w$]{1,40}){0,3})(\s?\()?/.exec(
      text,
    ) ?? []
  const subject = call === undefined ? asked : asked?.replace(/\.[\w$]+$/, '')
  return (
    subject !== undefined &&
    lines.some(
      line =>
        line.change === 'added' &&
        !line.isComment &&
        line.text.includes(subject) &&
        /\bif\b|\bunless\b|&&|\|\||[!=]==?|\bok_or|\bcheckState\(/.test(line.text),
    )
  )
}

/** Lines that stop what is not allowed. */
const stops = (lines: readonly Line[]): Line[] =>
  lines.filter(
    ({ text, isComment }) =>
      !isComment &&
      (leaves(text) ||
        /\bthrow\s|\.ok_or(?:_else)?\([^\n]{1,100}\)\s*\?|\borElseThrow\(|\bPreconditions\.check|\b(?:ensure|bail)!\(|\braise\s+\w|\brevert\s*[(\w]|\brequire\s*\([^'"`]{0,80}[<>=!]|\babort\(|\bpanic\(|^\s*assert\b|http_response_code\(4\d\d\)|\bdie\s*\(|return\s+(?:res\.)?(?:status\()?(?:401|403|400|404|409|413|415|422|429)\b|\breturn\s+(?:\w+,\s*)?(?:Err[A-Z(]\w*|errors?\.New\(|fmt\.Errorf\(|\w{1,20}\(new\s+\w*Error\b)|\breject\(/.test(
          text,
        )),
  )

/** True when another check that lets no more through takes the place of one. */
const isReplaced = ({ lines }: DiffFile, before: string): boolean => {
  const own = authWords.exec(before)?.[0].toLowerCase()
  return lines.some(
    ({ change, isComment, text }) =>
      change === 'added' &&
      !isComment &&
      (authWords.test(text) || /\.(?:verify|authenticate|authori[sz]e)\w*\(/i.test(text)) &&
      authWords.exec(text)?.[0].toLowerCase() !== own &&
      !/exempt|permitAll|AllowAny|anonymous|skip|bypass|disable|none|false|unsafe|optional/i.test(text) &&
      !/^\s*(?:import|from|use|using)\b/.test(text) &&
      (!/admin|owner|staff|superuser/i.test(before) || /admin|owner|staff|superuser/i.test(text)) &&
      /^\s*[@\w]*/.exec(text)?.[0].trim().charAt(0) === before.trim().charAt(0),
  )
}

const asserts =
  /\b(?:expect|assert\w*|should|require\.\w+|XCTAssert\w*|EXPECT_\w+|t\.(?:equal|is|ok|true|deepEqual|same|Fatal\w*|Error\w*))\b/

const testCase =
  /^\s*(?:it|test|describe|specify|scenario)(?:\.\w+)?\s*\(|^\s*(?:async\s+)?def\s+test_|^\s*func\s+Test|^\s*(?:it|test|specify)\s+["']|^\s*@Test\b|^\s*#\[(?:tokio::)?test\]|\[(?:Fact|Test|Theory)\]/

/** True when another file of tests comes in the same change, and asserts as much as the one that goes. */
const isMovedTest = (gone: DiffFile, files: readonly DiffFile[]): boolean => {
  const count = ({ lines }: DiffFile, change: Line['change']) =>
    lines.filter(line => line.change === change && asserts.test(line.text)).length
  const before = count(gone, 'removed')
  return (
    before > 0 &&
    files.some(
      file => file !== gone && file.lines.some(({ isTest }) => isTest) && count(file, 'added') >= before,
    )
  )
}

/** Lines that leave early when something is not as it must be. */
const leaves = (text: string): boolean =>
  /\b(?:if|unless|guard)\b[^\n]{0,200}\breturn\b\s*(?:null|None|nil|false|False|undefined|;|$|\{\s*["']?(?:error|errors|reason)\b|\{\s*["']?(?:ok|success|allowed|valid)["']?\s*:\s*(?:false|False))/.test(
    text,
  ) &&
  /expir|token|session|\bauth|permi|owner|role|amount|limit|balance|valid|verif|signature|allow|block|revoked|banned|locked|nonce|deadline|quota|trusted|origin/i.test(
    text,
  )

/** Removed lines whose like was not added again. */
const removedForGood = (file: DiffFile, pattern: RegExp): Line[] => {
  const added = file.lines.filter(({ change, isComment }) => change === 'added' && !isComment)
  const again = new Set(added.flatMap(({ text }) => pattern.exec(text)?.[0].toLowerCase() ?? []))
  return file.lines.filter(({ change, text, isComment }) => {
    if (
      change !== 'removed' ||
      isComment ||
      /^\s*(?:import|from|const \w+ = require|use |using |#include)\b/.test(text)
    )
      return false
    const word = pattern.exec(text)?.[0].toLowerCase()
    return word !== undefined && !again.has(word)
  })
}

/** Removals in a diff of what kept people out or found faults. */
export const removalFacts: readonly Detector[] = [
  actFact({
    id: 'code-auth-removed',
    see: ({ files }) =>
      files.flatMap(file =>
        removedForGood(file, authWords)
          .filter(({ isProse, isTest, text }) => !isProse && !isTest && !isReplaced(file, text))
          .map(
            ({ text, place }): Fact => ({ detail: `A check is gone: ${text.trim().slice(0, 80)}`, place }),
          ),
      ),
  }),
  actFact({
    id: 'code-guard-removed',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        if (file.isDeleted || file.lines.some(({ isTest, isProse }) => isTest || isProse)) return []
        const [removed, added] = (['removed', 'added'] as const).map(change =>
          stops(file.lines.filter(line => line.change === change)),
        )
        const [first] = removed ?? []
        const isHandedOn = file.lines.some(
          ({ change, text }) => change === 'added' && handsOn.test(text) && !/^\s*(?:\/\/|#)/.test(text),
        )
        const isAsked = (removed ?? []).every(line => isAskedStill(line, file))
        return first && !isHandedOn && !isAsked && (removed?.length ?? 0) > (added?.length ?? 0)
          ? [{ detail: `A refusal is gone: ${first.text.trim().slice(0, 80)}`, place: first.place }]
          : []
      }),
  }),
  actFact({
    id: 'code-tests-off',
    see: ({ files }) =>
      files.flatMap((file): Fact[] => {
        const added = file.lines.filter(({ change }) => change === 'added')
        const removed = file.lines.filter(({ change }) => change === 'removed')
        const isTest = file.lines.some(({ isTest }) => isTest)
        const place = {
          file: file.name,
          ...(file.lines[0]?.place.line !== undefined && { line: file.lines[0].place.line }),
        }
        if (isTest && file.isDeleted && isMovedTest(file, files)) return []
        if (isTest && file.isDeleted)
          return [{ detail: `The tests in ${file.oldName || file.name} are deleted.`, place }]
        if (isTest) {
          const skipped = added.find(({ text }) =>
            /\b(?:it|test|describe|context)\.(?:skip|todo)\b|\bx(?:it|describe|test)\s*\(|@(?:pytest\.mark\.skip|unittest\.skip|Ignore|Disabled)\b|\bt\.Skip\(|#\[ignore\]|pytest\.skip\(/.test(
              text,
            ),
          )
          if (skipped) return [{ ...narrow('A test is skipped.'), place: skipped.place }]
          const only = added.find(({ text }) =>
            /\b(?:it|test|describe)\.only\(|\bfdescribe\(|\bfit\(/.test(text),
          )
          if (only) return [{ ...narrow('All other tests are skipped.'), place: only.place }]
          const asserts = (lines: readonly Line[]) =>
            lines.filter(({ text }) =>
              /\b(?:expect|assert\w*|should|require\.\w+|XCTAssert\w*|EXPECT_\w+)\b/.test(text),
            ).length
          const trivial = added.find(({ text }) =>
            /expect\(true\)\.toBe\(true\)|assert\s+True\b|assert\.ok\(true\)|assertTrue\(true\)/.test(text),
          )
          if (trivial) return [{ detail: 'A test that cannot fail.', place: trivial.place }]
          if (asserts(removed) >= 2 && asserts(added) < asserts(removed) / 2)
            return [{ ...narrow('Assertions are gone.'), place }]
          const cases = (lines: readonly Line[]) => lines.filter(({ text }) => testCase.test(text)).length
          if (
            cases(removed) > cases(added) &&
            asserts(removed) > 0 &&
            asserts(added) === 0 &&
            !isMovedTest(file, files)
          )
            return [{ ...narrow('A case of the tests is gone.'), place }]
          return []
        }
        if (
          !/(?:workflows\/|\.gitlab-ci|\.circleci|Jenkinsfile|azure-pipelines|package\.json|Makefile|\.husky\/|pre-commit)/.test(
            file.name,
          )
        )
          return []
        const command =
          /\b(?:npm (?:run )?test|npm t\b|yarn test|pnpm test|pytest|go test|cargo test|mvn (?:test|verify)|make test|jest|vitest|rspec|phpunit|gradle\w* (?:test|check)|npm audit|trivy|semgrep|codeql|snyk|gitleaks|eslint)\b/
        const muted =
          added.find(({ text }) => command.test(text) && /\|\|\s*(?:true|exit 0|:|echo)/.test(text)) ??
          added.find(({ text }) =>
            /continue-on-error:\s*true|allow_failure:\s*true|--passWithNoTests.*--bail=0/.test(text),
          )
        if (muted) return [{ detail: 'A failing check no longer stops it.', place: muted.place }]
        const gone = removed.find(({ text }) => command.test(text) && !/^\s*#/.test(text))
        return gone && !added.some(({ text }) => /test|check|verify|audit|lint|scan/.test(text))
          ? [{ detail: `A check is gone: ${gone.text.trim().slice(0, 60)}`, place: gone.place }]
          : []
      }),
  }),
]
