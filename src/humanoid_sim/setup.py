"""Build description of humanoid_sim."""

from glob import glob

from setuptools import find_packages, setup

PACKAGE = "humanoid_sim"

setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        (f"share/{PACKAGE}/worlds", glob("worlds/*.sdf")),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["hypothesis", "pytest"]},
    zip_safe=True,
    maintainer="Humanoid maintainers",
    maintainer_email="maintainers@example.org",
    description="How the robots move: contact law, servo models, engine, world and sensors.",
    license="Apache-2.0",
)
