/** Crawl requests with a faulty login, and the expected error of each. */

export function badLogins(): [more: object, field: string, reason: string, message?: string][] {
  const end = { type: 'wait_for', selector: '#account' }
  const logged_out = { status: 401 }
  const steps = (...some: object[]) => ({ login: { steps: [...some, end], logged_out } })
  const signs = (logged_out: object) => ({ login: { steps: [end], logged_out } })
  const lacksSuccess =
    'The last step of login.steps must be wait_for with a selector that only logged-in visitors see. Otherwise a rejected password would count as success.'
  return [
    [{ login: true }, 'login', 'wrong_type'],
    ...misplaced,
    [{ login: {} }, 'login.steps', 'required'],
    [{ login: { steps: [end] } }, 'login.logged_out', 'required'],
    [{ login: { steps: [], logged_out } }, 'login.steps', 'out_of_range'],
    [{ login: { steps: Array(21).fill(end), logged_out } }, 'login.steps', 'out_of_range'],
    [
      { login: { steps: [{ type: 'click', selector: 'a' }], logged_out } },
      'login.steps[0]',
      'required',
      lacksSuccess,
    ],
    [
      { login: { steps: [{ type: 'wait_for', ms: 5 }], logged_out } },
      'login.steps[0]',
      'required',
      lacksSuccess,
    ],
    [steps({ type: 'type' }), 'login.steps[0].type', 'bad_value'],
    [steps({ type: 'fill', selector: '#p' }), 'login.steps[0].value', 'required'],
    [steps({ type: 'fill', selector: '#p', value: 7 }), 'login.steps[0].value', 'wrong_type'],
    [steps({ type: 'click', selector: '#p', value: 'x' }), 'login.steps[0].value', 'conflicting_fields'],
    [steps({ type: 'click', selector: '#(' }), 'login.steps[0].selector', 'bad_value'],
    [steps({ type: 'click', selector: 'text=Log in' }), 'login.steps[0].selector', 'bad_value'],
    [steps({ type: 'screenshot' }), 'login.steps[0]', 'conflicting_fields'],
    [steps({ type: 'goto', url: 'https://elsewhere.example/login' }), 'login.steps[0].url', 'bad_url'],
    [steps({ type: 'goto', url: 'file:///login' }), 'login.steps[0].url', 'bad_url'],
    [steps({ type: 'goto', url: '//a:b@127.0.0.1/login' }), 'login.steps[0].url', 'bad_url'],
    [signs({}), 'login.logged_out', 'required'],
    [signs({ status: 200 }), 'login.logged_out.status', 'out_of_range'],
    [signs({ selector: 'p:has(' }), 'login.logged_out.selector', 'bad_value'],
    [signs({ selector: 'input:placeholder-shown' }), 'login.logged_out.selector', 'bad_value'],
    [signs({ redirect: 'mailto:a' }), 'login.logged_out.redirect', 'bad_url'],
    [
      { ...signs({ status: 401 }), proxy_url: 'http://127.0.0.1:3128' },
      'login',
      'conflicting_fields',
      'login cannot be combined with proxy_url: it needs a browser, and browsers use no proxy. Leave one of them out.',
    ],
  ]
}

/** Logins with a password in a field that requires an object or a list. No error message repeats the password. */
const misplaced: [more: object, field: string, reason: string, message: string][] = [
  [
    { login: '{"steps":[{"type":"fill","value":"s3cret"}]}' },
    'login',
    'wrong_type',
    'login must be a JSON object.',
  ],
  [
    { login: { steps: 's3cret', logged_out: { status: 401 } } },
    'login.steps',
    'wrong_type',
    'login.steps must be a list.',
  ],
  [
    { login: { steps: ['fill s3cret'], logged_out: { status: 401 } } },
    'login.steps[0]',
    'wrong_type',
    'login.steps[0] must be a JSON object.',
  ],
]
