/** Writes a clean tree as HTML (WHATWG HTML, 13.3), in linear time and without recursion. */
import type { Document, Element } from 'domhandler'
import { walk } from '../tree/walk.ts'
import { voidElements } from './clean-elements.ts'

export function articleHtml(root: Document): string {
  let html = ''
  walk(root, {
    enter: element => {
      html += startTag(element)
      return !voidElements.has(element.name)
    },
    leave: ({ name }) => {
      html += `</${name}>`
    },
    text: ({ data }) => {
      html += escaped(data)
    },
  })
  return html.trim()
}

function startTag({ name, attribs }: Element): string {
  let tag = `<${name}`
  for (const attribute in attribs) {
    tag += ` ${attribute}="${escaped(attribs[attribute] ?? '').replaceAll('"', '&quot;')}"`
  }
  return `${tag}>`
}

const escaped = (text: string): string => (special.test(text) ? replaced(text) : text)

const special = /[&\u00a0<>]/

const replaced = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('\u00a0', '&nbsp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
