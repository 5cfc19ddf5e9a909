import type { NewUser } from '@gatehouse/shared';

/** The demo users, for development only. */
export const demoUsers: readonly NewUser[] = [
  {
    username: 'admin@example.com',
    password: 'admin-password',
    userType: 'Person',
    firstName: 'Ada',
    lastName: 'Admin',
    roles: ['SystemAdministrator'],
  },
  {
    username: 'idp.admin@example.com',
    password: 'idp-password',
    userType: 'Person',
    firstName: 'Ivo',
    lastName: 'Idp',
    roles: ['IdpAdministrator'],
  },
  {
    username: 'user@example.com',
    password: 'user-password',
    userType: 'Person',
    firstName: 'Ursula',
    lastName: 'User',
    emailVerified: true,
    middleName: 'Maria',
    nickname: 'Uschi',
    profile: 'https://people.example.com/ursula',
    picture: 'https://people.example.com/ursula.png',
    website: 'https://ursula.example.com',
    gender: 'female',
    birthdate: '1985-02-28',
    phoneNumber: '+41446681800',
    phoneNumberVerified: true,
    address: {
      formatted: '1 Example Way\n8001 Zurich\nSwitzerland',
      streetAddress: '1 Example Way',
      locality: 'Zurich',
      region: 'ZH',
      postalCode: '8001',
      country: 'Switzerland',
    },
  },
  { username: 'robot@example.com', userType: 'Robot', firstName: 'Robin', lastName: 'Robot' },
];
