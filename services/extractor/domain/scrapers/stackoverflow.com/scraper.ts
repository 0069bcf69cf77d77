/** Questions of Stack Overflow with their answers, whose ids and votes are in attributes. */

import { writeMarkdown } from '@tidemark/html/markdown/write-markdown'
import { attribute } from '@tidemark/html/tree/attribute'
import type { Element } from 'domhandler'
import { shown } from '../bounds.ts'
import {
  addressOf,
  attributeOf,
  elementIn,
  elementsIn,
  every,
  integerIn,
  lineOf,
  linesOf,
  type Test,
  treeOf,
  withAttribute,
  withClass,
  withName,
} from '../elements.ts'
import { defineScraper, type Param } from '../scraper.ts'

const page: Param = {
  type: 'integer',
  minimum: 1,
  maximum: 1_000,
  as: 'page',
  description: 'page of the answers, from 1',
}
const order: Param = {
  type: 'choice',
  of: ['scoredesc', 'trending', 'modifieddesc', 'createdasc'],
  as: 'answertab',
  description: 'order of the answers',
}

export const scraper = defineScraper({
  domain: 'stackoverflow.com',
  origin: 'https://stackoverflow.com',
  routes: ['questions/{id}', 'questions/{id}/{words}'].map(path => ({
    path,
    // The title is optional: the site redirects by the number.
    fetch: '/questions/{id}',
    params: { page, order },
  })),
  names: { id: /^[1-9]\d{0,11}$/, words: /^[^?#]{1,255}$/ },
  dataShape: {
    id: 'number of the question',
    title: 'its title',
    url: 'its address',
    body: 'its text, in Markdown',
    votes: 'upvotes less downvotes',
    tags: 'list of texts',
    author: 'name of the author',
    asked_at: 'time of the question, UTC',
    answer_count: 'number of answers, including those on further pages',
    answers: 'list of {id, body, votes, accepted, author, answered_at}, in page order',
  },
  read({ text, url }) {
    const tree = treeOf(text)
    const question = elementIn(tree, isPost('data-questionid', 'question'))
    const link = elementIn(tree, withClass('question-hyperlink'))
    const [id, title] = [integerIn(attributeOf(question, 'data-questionid')), lineOf(link)]
    if (question === null || id === null || title === null) return null
    const answers = elementsIn(tree, isPost('data-answerid', 'answer'))
    const head = elementIn(tree, withAttribute('id', 'answers-header'))
    const count = elementIn(head, withAttribute('data-answercount'))
    return [
      {
        id,
        title,
        url: addressOf(link, url),
        ...postOf(question, url),
        tags: linesOf(elementsIn(question, withClass('post-tag'))),
        asked_at: timeIn(tree),
        answer_count: integerIn(attributeOf(count, 'data-answercount')),
        answers: answers.map(answer => ({
          id: integerIn(attributeOf(answer, 'data-answerid')),
          ...postOf(answer, url),
          accepted: isAccepted(answer),
          answered_at: timeIn(answer),
        })),
      },
    ]
  },
})

const isPost = (numbered: string, word: string): Test => every(withAttribute(numbered), withClass(word))

const isAccepted: Test = element =>
  withClass('accepted-answer')(element) || attribute(element, 'itemprop') === 'acceptedAnswer'

function postOf(post: Element, base: string) {
  const body = elementIn(post, withClass('js-post-body'))
  return {
    body: body === null ? null : shown(writeMarkdown(body, { base }).trim()),
    votes: integerIn(attributeOf(post, 'data-score')),
    author: authorOf(post),
  }
}

/** Editors are beside the author, and only the author has this mark. */
function authorOf(post: Element): string | null {
  const author = elementIn(post, withAttribute('itemprop', 'author'))
  return author === null
    ? null
    : lineOf(elementIn(author, withName('a')) ?? elementIn(author, withAttribute('itemprop', 'name')))
}

/** Returns the time with the UTC suffix, which the site omits. */
function timeIn(root: Parameters<typeof elementIn>[0]): string | null {
  const time = attributeOf(elementIn(root, withAttribute('itemprop', 'dateCreated')), 'datetime')
  return time !== null && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(time) ? `${time}Z` : time
}
