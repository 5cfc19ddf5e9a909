import type { MailMessages } from './en.ts';

export const zh: MailMessages = {
  language: 'zh',
  frame: {
    account: '账户：{username}',
    organization: '组织：{organization}',
    time: '时间：{time}',
    browser: '浏览器：{browser}',
    network: '网络：{network}',
    until: '此链接只能使用一次，有效期至 {time}。',
    ignore: '如果这不是您本人的请求，请忽略此邮件。不使用该链接，就不会有任何更改。',
    fine: '如果这是您本人的操作，则无需处理。',
    notYou: '如果这不是您本人的操作，请登录，更改密码，并查看您的会话：',
    help: '帮助：',
    automatic: '此邮件由系统自动发送。回复不会有人阅读。',
  },
  links: {
    reset: {
      subject: '设置新密码',
      text: '有人（很可能是您本人）请求设置新密码。请在此设置：',
    },
    verify: {
      subject: '请验证您的电子邮件地址',
      text: '请确认此地址属于您：',
    },
    invitation: {
      subject: '您的邀请',
      text: '已为您创建账户。请在此选择登录方式：',
    },
  },
  notices: {
    password_changed: { subject: '您的密码已更改', text: '您的密码已更改。' },
    passkey_added: { subject: '已添加通行密钥', text: '您的账户已添加一个通行密钥：{name}。' },
    passkey_removed: { subject: '已移除通行密钥', text: '您的账户已移除一个通行密钥：{name}。' },
    code_app_added: { subject: '已设置验证码应用', text: '您的账户已设置验证码应用。' },
    code_app_removed: { subject: '已移除验证码应用', text: '您账户的验证码应用已移除。' },
    recovery_codes_made: { subject: '已生成新的恢复代码', text: '您的账户已生成新的恢复代码。之前的恢复代码已失效。' },
    recovery_code_used: { subject: '已使用恢复代码', text: '有人使用恢复代码登录了您的账户。剩余 {left} 个。' },
    password_known: {
      subject: '可能有人知道您的密码',
      text: '有人输入了您的正确密码，之后多次输入错误的代码。第二步阻止了对方登录。请更改您的密码。',
    },
    counter_behind: {
      subject: '通行密钥被拒绝',
      text: '您账户的一个通行密钥被拒绝：可能存在它的副本。请移除它，并创建新的通行密钥。',
    },
    email_changed: { subject: '您的电子邮件地址已更改', text: '您账户的电子邮件地址已从 {before} 更改为 {after}。' },
  },
};
