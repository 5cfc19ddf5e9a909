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
    email_old: {
      subject: '请确认更改您的电子邮件地址',
      text: '您账户的电子邮件地址将更改为 {after}。请在此确认或拒绝：',
    },
    email_new: {
      subject: '请确认您的新电子邮件地址',
      text: '此地址将成为某个账户的电子邮件地址。请在此确认：',
    },
    email_told: {
      subject: '您的电子邮件地址将被更改',
      text: '您账户的电子邮件地址最早将在 72 小时后更改为 {after}。如果不是您本人操作，请在此拒绝：',
    },
    set_up: {
      subject: '请打开此链接以继续',
      text: '您请求设置第二步。请在同一浏览器中从此处继续：',
    },
    first_passkey: {
      subject: '您的账户现在有了第二步：通行密钥',
      text: '您的账户已添加通行密钥：{name}。从现在起，仅凭密码无法登录。如果不是您本人操作，请在此移除：',
    },
    first_code_app: {
      subject: '您的账户现在有了第二步：验证码应用',
      text: '您的账户已设置验证码应用。从现在起，仅凭密码无法登录。如果不是您本人操作，请在此移除：',
    },
    register: {
      subject: '完成您的注册',
      text: '有人（很可能是您）用此地址请求了一个账户。请在此完成：',
    },
    have_account: {
      subject: '您已有账户',
      text: '有人（很可能是您）用此地址请求了一个账户。账户已经存在。请在此登录或设置新密码：',
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
    new_sign_in: {
      subject: '您的账户有新的登录',
      text: '有人从一个此前未用于您账户的浏览器和网络登录了您的账户。',
    },
    methods_reset: {
      subject: '您的登录方式已重置',
      text: '管理员已移除您账户的通行密钥、验证码应用和恢复代码。所有会话均已结束。',
    },
    account_deleted: {
      subject: '您的账户已删除',
      text: '您的账户及其所有内容均已删除。',
    },
    identity_linked: {
      subject: '现在可以用其他服务的账户登录',
      text: '{upstream} 的账户已关联到您的账户，今后可用于登录：{identity}。如果不是您本人操作，请取消关联。',
    },
    identity_removed: {
      subject: '已取消与其他服务账户的关联',
      text: '{upstream} 的账户已与您的账户取消关联，不能再用于登录：{identity}。',
    },
  },
};
