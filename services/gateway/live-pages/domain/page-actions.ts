/** The rules of actions in a browser that their contract cannot express. */
import type { PageAction } from '@tidemark/contracts/http/cloud/page-action'
import { browserSelectorFault } from '@tidemark/html/selection/browser-selector'
import { selectorFault } from '@tidemark/html/selection/select'
import { refusal } from '../../http/domain/refusal.ts'

type Field = Exclude<keyof PageAction, 'type'>

/** The fields that an action needs, and those that it may have. */
const fields: Readonly<Record<PageAction['type'], { needs: readonly Field[]; may?: readonly Field[] }>> = {
  goto: { needs: ['url'] },
  click: { needs: ['selector'] },
  fill: { needs: ['selector', 'value'] },
  press: { needs: ['key'], may: ['selector'] },
  wait_for: { needs: [], may: ['selector', 'ms'] },
  screenshot: { needs: [] },
}
const names: readonly Field[] = ['selector', 'value', 'key', 'url', 'ms']

/**
 * Throws `ApiProblem` with the field of the first fault, such as `actions[2].selector`.
 * @param isPicture whether the response is the screenshot of the page
 */
export function assertActions(actions: readonly PageAction[], url: string, isPicture: boolean): void {
  for (const [at, action] of actions.entries()) {
    const field = `actions[${at}]`
    assertAction(action, field)
    if (action.url !== undefined) assertSameHost(action.url, url, `${field}.url`)
    if (action.type === 'screenshot') assertPicture(actions, at, isPicture)
  }
}

/** Checks the fields of one action. `field` is its name in errors. */
export function assertAction(action: PageAction, field: string): void {
  assertFields(action, field)
  if (action.selector !== undefined) assertNoFault(browserSelectorFault(action.selector), `${field}.selector`)
}

function assertFields(action: PageAction, field: string): void {
  const { type } = action
  const { needs, may = [] } = fields[type]
  for (const name of needs)
    if (action[name] === undefined)
      throw refusal(`${field}.${name}`, 'required', `${field}.${name} is required for ${type}.`)
  for (const name of names)
    if (action[name] !== undefined && !needs.includes(name) && !may.includes(name))
      throw refusal(`${field}.${name}`, 'conflicting_fields', `${type} has no ${name}: leave it out.`)
  if (type === 'wait_for' && (action.selector === undefined) === (action.ms === undefined))
    throw refusal(
      field,
      'conflicting_fields',
      `${field} waits for either a selector or ms: send one of them.`,
    )
}

/** Checks a selector that is compared with stored pages, which no browser opens. */
export function assertSelector(selector: string, field: string): void {
  assertNoFault(selectorFault(selector), field)
}

function assertNoFault(fault: string | null, field: string): void {
  if (fault !== null) throw refusal(field, 'bad_value', `${field} is not a CSS selector: ${fault}.`)
}

/** Other hosts have their own rate limits, which the visit of one page does not wait for. */
function assertSameHost(target: string, base: string, field: string): void {
  const { protocol, host } = URL.parse(target, base) ?? {}
  if (host === undefined || !/^https?:$/.test(protocol ?? ''))
    throw refusal(field, 'bad_url', `${field} is not an http or https address.`)
  if (host !== URL.parse(base)?.host)
    throw refusal(field, 'bad_url', `${field} must be on the host of url. Request other hosts by themselves.`)
}

function assertPicture(actions: readonly PageAction[], at: number, isPicture: boolean): void {
  const field = `actions[${at}]`
  if (!isPicture)
    throw refusal(
      field,
      'conflicting_fields',
      'The action screenshot needs POST /v1/cloud/render with return_format png, whose content is the screenshot.',
    )
  if (actions.findIndex(({ type }) => type === 'screenshot') !== at)
    throw refusal(
      field,
      'conflicting_fields',
      'Only one action can be screenshot: the response has one picture.',
    )
}
