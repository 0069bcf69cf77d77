/** Accessibility of a page's structure: ids, focus order, tables, lists and ARIA attributes. */
import { attribute } from '@tidemark/html/tree/attribute'
import { type Entry, hasAnyAttribute, tagOf } from './page-index.ts'
import { isRole } from './roles.ts'
import { among, type Rule, when } from './rule.ts'
import { html, mdn, wcag } from './sources.ts'
import { tablesWithoutHeaders } from './tables.ts'

const name = wcag('4.1.2 Name, Role, Value', 'name-role-value')
const references = ['aria-labelledby', 'aria-describedby']
const listParents = new Set(['ul', 'ol', 'menu', 'template', 'dir'])

export const structureRules: readonly Rule[] = [
  {
    id: 'a11y/duplicate-id',
    severity: 'warning',
    finds: 'An id of several elements',
    reason: 'Links, labels and scripts reach only the first element.',
    source: html('the id attribute', 'dom.html#the-id-attribute'),
    find: ({ index: { ids } }) =>
      among(
        [...ids].filter(([, count]) => count > 1),
        {
          one: 'An id is used more than once.',
          many: '{n} ids are used more than once.',
          remedy: 'Make each id unique.',
        },
        ([id, count]) => `${id}: ${count} times`,
      ),
  },
  {
    id: 'a11y/iframe-title',
    severity: 'error',
    finds: 'A visible `<iframe>` without title or label',
    reason: 'Screen reader users must enter the frame to learn its content.',
    source: wcag('2.4.1 Bypass Blocks (technique H64)', 'bypass-blocks'),
    find: ({ index }) =>
      among(
        index.of('iframe', 'frame').filter(entry => !entry.isNamed && !entry.isHidden && !isTiny(entry)),
        {
          one: '1 frame has no title.',
          many: '{n} frames have no title.',
          remedy: {
            one: 'Describe its content in the title.',
            many: 'Describe their content in the titles.',
          },
        },
        tagOf,
      ),
  },
  {
    id: 'a11y/table-headers',
    severity: 'warning',
    finds: 'A data table (several rows and columns, not for layout) without `<th>`, scope or headers',
    reason: 'Screen readers read cells without their headers.',
    source: wcag('1.3.1 Info and Relationships (technique H51)', 'info-and-relationships'),
    find: page =>
      among(
        tablesWithoutHeaders(page),
        {
          one: '1 data table has no header cells.',
          many: '{n} data tables have no header cells.',
          remedy: 'Use th for headers; add role="presentation" to layout tables.',
        },
        entry => `${tagOf(entry)} ${page.index.text(entry, 60)}`,
      ),
  },
  {
    id: 'a11y/tabindex-positive',
    severity: 'warning',
    finds: 'A tabindex above 0',
    reason: 'Keyboard focus then jumps through the page in an order other than the reading order.',
    source: wcag('2.4.3 Focus Order (failure F44)', 'focus-order'),
    find: ({ index }) =>
      among(
        index.all.filter(({ element }) => Number.parseInt(attribute(element, 'tabindex') ?? '0', 10) > 0),
        {
          one: '1 element has its own position in the tab order.',
          many: '{n} elements have their own position in the tab order.',
          remedy: 'Use 0, and put the elements into reading order.',
        },
        entry => `tabindex=${attribute(entry.element, 'tabindex')} ${tagOf(entry)}`,
      ),
  },
  {
    id: 'a11y/role-unknown',
    severity: 'warning',
    finds: 'A role that WAI-ARIA does not define',
    reason: 'Browsers ignore it.',
    source: name,
    find: ({ index }) =>
      among(
        index.all.filter(
          ({ element }) => hasAnyAttribute(element, 'role') && !isRole(attribute(element, 'role') ?? ''),
        ),
        {
          one: '1 element has an unknown role.',
          many: '{n} elements have unknown roles.',
          remedy: 'Check the spelling.',
        },
        entry => `role="${attribute(entry.element, 'role')}" ${tagOf(entry)}`,
      ),
  },
  {
    id: 'a11y/reference-missing',
    severity: 'warning',
    finds: 'aria-labelledby or aria-describedby without any id that the served HTML contains',
    reason: 'The element lacks the intended name or description.',
    source: name,
    find: ({ index, isCut }) =>
      among(isCut ? [] : index.all.flatMap(entry => lostReferences(entry, index.anchors)), {
        one: '1 attribute refers to missing ids.',
        many: '{n} attributes refer to missing ids.',
        remedy: 'Correct the ids.',
      }),
  },
  {
    id: 'a11y/body-hidden',
    severity: 'error',
    finds: 'aria-hidden=true on `<body>`',
    reason: 'Assistive technology cannot access the page.',
    source: name,
    find: ({ index }) =>
      when(
        index.of('body').some(({ element }) => attribute(element, 'aria-hidden') === 'true'),
        () => 'The whole page is hidden from assistive technology. Remove aria-hidden from the body.',
      ),
  },
  {
    id: 'a11y/list-item-outside',
    severity: 'warning',
    finds: 'An `<li>` that is not a child of ul, ol or menu',
    reason: 'Screen readers announce neither the list nor the number of its items.',
    source: html('the li element', 'grouping-content.html#the-li-element'),
    find: ({ index }) =>
      among(
        index.of('li').filter(isOutside),
        {
          one: '1 item is outside of a list.',
          many: '{n} items are outside of a list.',
          remedy: { one: 'Put it into ul or ol.', many: 'Put them into ul or ol.' },
        },
        entry => index.text(entry, 60) || tagOf(entry),
      ),
  },
  {
    id: 'a11y/accesskey-duplicate',
    severity: 'info',
    finds: 'One accesskey for several elements with different targets',
    reason: 'Browsers differ in which element the key activates.',
    source: mdn('accesskey', 'HTML/Reference/Global_attributes/accesskey'),
    find: ({ index }) => {
      const keyed = index.all.filter(({ element }) => hasAnyAttribute(element, 'accesskey'))
      const byKey = Map.groupBy(
        keyed,
        ({ element }) => attribute(element, 'accesskey')?.trim().toLowerCase() ?? '',
      )
      return among(
        [...byKey].filter(([, all]) => new Set(all.map(targetOf)).size > 1),
        {
          one: '1 key activates several elements.',
          many: '{n} keys activate several elements.',
          remedy: 'Use each key once.',
        },
        ([key, all]) => `${key}: ${all.slice(0, 3).map(tagOf).join(', ')}`,
      )
    },
  },
]

/** An element without a URL is its own target. */
const targetOf = ({ element }: Entry): unknown => attribute(element, 'href') ?? element

function isTiny({ element }: Entry): boolean {
  const sides = [attribute(element, 'width'), attribute(element, 'height')]
  return sides.some(side => side !== null && Number.parseInt(side, 10) <= 1 && !side.includes('%'))
}

/** Custom elements and templates inside a list are accepted. */
function isOutside({ element }: Entry): boolean {
  const { parent } = element
  if (attribute(element, 'role') !== null || parent === null || !('attribs' in parent)) return false
  return !listParents.has(parent.name) && attribute(parent, 'role') !== 'list' && !parent.name.includes('-')
}

function lostReferences(entry: Entry, anchors: ReadonlySet<string>): string[] {
  return references.flatMap(name => {
    const stated = (attribute(entry.element, name) ?? '').trim()
    return stated === '' || stated.split(/\s+/).some(id => anchors.has(id))
      ? []
      : [`${name}="${stated.slice(0, 60)}" ${tagOf(entry)}`]
  })
}
