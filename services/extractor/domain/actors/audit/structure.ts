/** Accessibility of a page's structure: ids, order, tables, lists, and what its attributes say of it. */
import { attribute } from '@tidemark/html/tree/attribute'
import { tagOf } from './headings.ts'
import { type Entry, isSaid } from './page-index.ts'
import { isRole } from './roles.ts'
import { among, counted, type Rule, when } from './rule.ts'
import { html, mdn, wcag } from './sources.ts'
import { tablesWithoutHeaders } from './tables.ts'

const name = wcag('4.1.2 Name, Role, Value', 'name-role-value')
const references = ['aria-labelledby', 'aria-describedby']
const listParents = new Set(['ul', 'ol', 'menu', 'template', 'dir'])

export const structureRules: readonly Rule[] = [
  {
    id: 'a11y/duplicate-id',
    on: 'pages',
    severity: 'warning',
    finds: 'An id that several elements have',
    reason: 'Links, labels and scripts reach but the first of them.',
    source: html('the id attribute', 'dom.html#the-id-attribute'),
    find: ({ index: { ids } }) =>
      among(
        [...ids].filter(([, count]) => count > 1),
        n =>
          `${n === 1 ? 'An id stands' : `${n} ids stand`} in the page more than once. Make each one's own.`,
        ([id, count]) => `${id}: ${count} times`,
      ),
  },
  {
    id: 'a11y/iframe-title',
    on: 'pages',
    severity: 'error',
    finds: 'An `<iframe>` that is shown without title or label',
    reason: 'Who hears the page is not told what it holds, and has to go in to learn it.',
    source: wcag('2.4.1 Bypass Blocks (technique H64)', 'bypass-blocks'),
    find: ({ index }) =>
      among(
        index.of('iframe', 'frame').filter(entry => !entry.isNamed && !entry.isHidden && !isTiny(entry)),
        n =>
          `${counted(n, 'frame')} ${n === 1 ? 'has' : 'have'} no title. Say in it what ${n === 1 ? 'it holds' : 'they hold'}.`,
        ({ element }) => tagOf(element),
      ),
  },
  {
    id: 'a11y/table-headers',
    on: 'pages',
    severity: 'warning',
    finds: 'A table of data (several rows and columns, no layout) without `<th>`, scope or headers',
    reason: 'Cells are read without what they stand for.',
    source: wcag('1.3.1 Info and Relationships (technique H51)', 'info-and-relationships'),
    find: page =>
      among(
        tablesWithoutHeaders(page),
        n =>
          `${counted(n, 'table')} of data ${n === 1 ? 'has' : 'have'} no header cells. Mark them as th; give tables that only place things role="presentation".`,
        entry => `${tagOf(entry.element)} ${page.index.text(entry, 60)}`,
      ),
  },
  {
    id: 'a11y/tabindex-positive',
    on: 'pages',
    severity: 'warning',
    finds: 'A tabindex above 0',
    reason: 'The keyboard then jumps through the page in another order than it is read.',
    source: wcag('2.4.3 Focus Order (failure F44)', 'focus-order'),
    find: ({ index }) =>
      among(
        index.all.filter(({ element }) => Number.parseInt(attribute(element, 'tabindex') ?? '0', 10) > 0),
        n =>
          `${counted(n, 'element')} ${n === 1 ? 'has' : 'have'} a place of ${n === 1 ? 'its' : 'their'} own in the order of the keyboard. Use 0, and order the page itself.`,
        ({ element }) => `tabindex=${attribute(element, 'tabindex')} ${tagOf(element)}`,
      ),
  },
  {
    id: 'a11y/role-unknown',
    on: 'pages',
    severity: 'warning',
    finds: 'A role that WAI-ARIA does not have',
    reason: 'It is ignored.',
    source: name,
    find: ({ index }) =>
      among(
        index.all.filter(
          ({ element }) => isSaid(element, 'role') && !isRole(attribute(element, 'role') ?? ''),
        ),
        n =>
          `${counted(n, 'element')} ${n === 1 ? 'has a role that is' : 'have roles that are'} not known. Check the spelling.`,
        ({ element }) => `role="${attribute(element, 'role')}" ${tagOf(element)}`,
      ),
  },
  {
    id: 'a11y/reference-missing',
    on: 'pages',
    severity: 'warning',
    finds: 'aria-labelledby or aria-describedby with no id that the HTML as served has',
    reason: 'The element is left without the name or description that was meant.',
    source: name,
    find: ({ index, isCut }) =>
      among(
        isCut ? [] : index.all.flatMap(entry => lostReferences(entry, index.places)),
        n =>
          `${counted(n, 'attribute')} ${n === 1 ? 'refers' : 'refer'} to nothing in the page. Mend the ids.`,
        reference => reference,
      ),
  },
  {
    id: 'a11y/body-hidden',
    on: 'pages',
    severity: 'error',
    finds: 'aria-hidden=true on `<body>`',
    reason: 'Nothing of the page is told to assistive technology.',
    source: name,
    find: ({ index }) =>
      when(
        index.of('body').some(({ element }) => attribute(element, 'aria-hidden') === 'true'),
        () => 'The whole page is hidden from assistive technology. Take aria-hidden off the body.',
      ),
  },
  {
    id: 'a11y/list-item-outside',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<li>` that is no child of ul, ol or menu',
    reason: 'How many items there are, and that it is a list, is not told.',
    source: html('the li element', 'grouping-content.html#the-li-element'),
    find: ({ index }) =>
      among(
        index.of('li').filter(isOutside),
        n =>
          `${counted(n, 'item')} ${n === 1 ? 'stands' : 'stand'} in no list. Put ${n === 1 ? 'it' : 'them'} into ul or ol.`,
        entry => index.text(entry, 60) || tagOf(entry.element),
      ),
  },
  {
    id: 'a11y/accesskey-duplicate',
    on: 'pages',
    severity: 'info',
    finds: 'One accesskey on several elements that do not lead to the same address',
    reason: 'Which of them the key reaches differs between browsers.',
    source: mdn('accesskey', 'HTML/Reference/Global_attributes/accesskey'),
    find: ({ index }) => {
      const keyed = index.all.filter(({ element }) => isSaid(element, 'accesskey'))
      const byKey = Map.groupBy(
        keyed,
        ({ element }) => attribute(element, 'accesskey')?.trim().toLowerCase() ?? '',
      )
      return among(
        [...byKey].filter(([, all]) => new Set(all.map(targetOf)).size > 1),
        n => `${counted(n, 'key')} ${n === 1 ? 'reaches' : 'reach'} several elements. Use each once.`,
        ([key, all]) =>
          `${key}: ${all
            .map(({ element }) => tagOf(element))
            .slice(0, 3)
            .join(', ')}`,
      )
    },
  },
]

/** What does not lead anywhere is a target of its own. */
const targetOf = ({ element }: Entry): unknown => attribute(element, 'href') ?? element

function isTiny({ element }: Entry): boolean {
  const sides = [attribute(element, 'width'), attribute(element, 'height')]
  return sides.some(side => side !== null && Number.parseInt(side, 10) <= 1 && !side.includes('%'))
}

/** What a component or a script may put into a list is let pass. */
function isOutside({ element }: Entry): boolean {
  const { parent } = element
  if (attribute(element, 'role') !== null || parent === null || !('attribs' in parent)) return false
  return !listParents.has(parent.name) && attribute(parent, 'role') !== 'list' && !parent.name.includes('-')
}

function lostReferences({ element }: Entry, places: ReadonlySet<string>): string[] {
  return references.flatMap(name => {
    const stated = (attribute(element, name) ?? '').trim()
    return stated === '' || stated.split(/\s+/).some(id => places.has(id))
      ? []
      : [`${name}="${stated.slice(0, 60)}" ${tagOf(element)}`]
  })
}
